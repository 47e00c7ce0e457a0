import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Money } from '../../money.ts'
import { type PaymentProvider, type Payments, ProviderBusy } from '../../payments/provider.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import { type Claim, claimOrder, readClaim } from '../../sql/orders.ts'
import type { Account } from '../caller.ts'
import { idempotencyKeyReused } from '../faults.ts'
import { eventOf, newId } from '../ids.ts'
import { createInputFaults } from '../inputFaults.ts'
import { CheckoutBusy, HoldNotFound, PaymentDeclined, SeatsGone } from '../refusals.ts'
import { type AnnounceDeps, createAnnounce } from './announce.ts'
import { type Capture, createCapture } from './capture.ts'
import type { Orders, OrderView } from './orders.ts'
import { createSettler, type PayableOrder, pay, type Settler } from './settle.ts'

export interface CheckoutInput {
  holdId: string
  /** The provider's token for a card. Asked for also where nothing has to be paid; any will do then. */
  paymentMethod: string
  /** Where the tickets go; default: the account's address. */
  email?: string | null
  idempotencyKey: string
}

export type CheckoutResult = OrderView | PaymentDeclined | SeatsGone | HoldNotFound | CheckoutBusy

export interface Checkout extends Settler, Capture {
  /**
   * Buys a hold: claims it for an order, authorizes, sells; three short steps, with no transaction open
   * while a card network thinks.
   *
   * The same key and input give the same order, read afresh; while it is being paid for, the second call
   * waits for the first. Another key gives the order that is paying for the hold, has bought it or found its
   * seats gone: there is one such order a hold at most. An order comes back PAYING where the provider gives no
   * answer in time: the settler takes it on. An account that was declined too often waits before its next card.
   *
   * Throws BAD_USER_INPUT, and IDEMPOTENCY_KEY_REUSED where the key came with other input.
   */
  checkout(account: Account, input: CheckoutInput): Promise<CheckoutResult>
}

export interface CheckoutDeps extends AnnounceDeps {
  db: Database
  payments: Payments
  orders: Orders
  publish: Publish
  log: Logger
  /** How long a fan waits for a provider that does not answer; the settler does afterwards. Default: 10 s. */
  patienceMs?: number
}

/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const LONGEST_ADDRESS = 254

const FIRST_PAUSE_MS = 250

export function createCheckout(deps: CheckoutDeps): Checkout {
  const { db, payments, orders, seatMap, publish, log, patienceMs = 10_000 } = deps
  const announce = createAnnounce({ publish, seatMap })
  const settler = createSettler({ db, payments, publish, announce, log })

  async function read(account: Account, orderId: string): Promise<OrderView> {
    const order = await orders.find(account, orderId)
    if (!order) throw new Error(`order ${orderId} was claimed and is not there`)
    return order
  }

  /** Waits for the call that is paying. Where that one is gone, with its process, this one takes its place. */
  async function readWhenSettled(account: Account, orderId: string): Promise<OrderView> {
    const updates = orders.updates(account, orderId)
    const timer = setTimeout(() => updates.return?.(), patienceMs)
    try {
      for await (const order of updates) if (order.state !== 'PAYING') return order
    } finally {
      clearTimeout(timer)
    }
    await settler.settle(orderId).catch((error) => {
      log.warn({ orderId, err: error }, 'an order is not settled yet')
    })
    return read(account, orderId)
  }

  async function claimAndPay(
    account: Account,
    claim: Claim,
    amount: Money,
    authorize: PaymentProvider['authorize'],
  ): Promise<CheckoutResult> {
    const { eventId, holdId, orderId: id, paymentMethod } = claim
    const { outcome, orderId, isOfKey, changes } = await claimOrder(db, claim)
    switch (outcome) {
      case 'hold_not_found':
        return new HoldNotFound()
      case 'key_reused':
        throw idempotencyKeyReused()
      case 'known':
        return answer(await (isOfKey ? readWhenSettled : read)(account, orderId as string))
      case 'seats_gone':
        announce({ eventId, orderId: id, holdId })
        return new SeatsGone(id)
    }
    announce({ eventId, orderId: id, holdId, changes })
    await payWithPatience({ id, eventId, holdId, state: 'PAYING', paymentMethod, ...amount }, authorize)
    return answer(await read(account, id))
  }

  /** The same authorize again while its outcome is unknown: only the provider's own answer is definite. */
  async function payWithPatience(order: PayableOrder, authorize: PaymentProvider['authorize']) {
    const deadline = performance.now() + patienceMs
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await pay({ db, announce }, order, authorize)
      } catch (error) {
        const wait = pause * (0.5 + Math.random())
        const isLast = performance.now() + wait > deadline
        log.warn({ orderId: order.id, err: error, isLast }, 'an order is not settled yet')
        if (isLast) return
        await sleep(wait)
      }
    }
  }

  return {
    async checkout(account, input) {
      refuseBadInput(input)
      const eventId = eventOf('hld', input.holdId)
      if (!eventId) return new HoldNotFound()
      const claim = toClaim(account, eventId, input, payments.name)

      const known = await readClaim(db, claim)
      if (known.keyOrderId !== null) {
        if (known.keyInputHash !== claim.inputHash) throw idempotencyKeyReused()
        return answer(await readWhenSettled(account, known.keyOrderId))
      }
      if (known.hold === null) return new HoldNotFound()
      if (known.holdOrderId !== null) return answer(await read(account, known.holdOrderId))

      const { hold } = known
      // With no permit, where nothing will be authorized: who asks for what is gone keeps none from those who pay.
      if (hold.amount === 0n || hold.isOver) return claimAndPay(account, claim, hold, payments.authorize)
      if (known.pausedSeconds !== null) return new CheckoutBusy(known.pausedSeconds)
      try {
        return await payments.withPermit((authorize) => claimAndPay(account, claim, hold, authorize))
      } catch (error) {
        // Only ever from before the claim: after it, the order waits instead.
        if (error instanceof ProviderBusy) return new CheckoutBusy(error.retryAfterSeconds)
        throw error
      }
    },
    ...settler,
    ...createCapture({ db, payments, announce, log }),
  }
}

function toClaim(account: Account, eventId: string, input: CheckoutInput, provider: string): Claim {
  const { holdId, paymentMethod, email = null, idempotencyKey } = input
  return {
    eventId,
    holdId,
    accountId: account.id,
    orderId: newId('ord', eventId),
    idempotencyKey,
    // As it was given: an account's address may have changed when the same input comes again.
    inputHash: createHash('sha256')
      .update(JSON.stringify([holdId, paymentMethod, email]))
      .digest('base64url'),
    email: email ?? account.email,
    provider,
    paymentMethod,
  }
}

function answer(order: OrderView): OrderView | PaymentDeclined | SeatsGone {
  if (order.state === 'DECLINED') return new PaymentDeclined(order.id)
  if (order.state === 'SEATS_GONE') return new SeatsGone(order.id)
  return order
}

function refuseBadInput({ paymentMethod, email, idempotencyKey }: CheckoutInput): void {
  const faults = createInputFaults()
  faults.text(['input', 'paymentMethod'], paymentMethod)
  faults.text(['input', 'idempotencyKey'], idempotencyKey)
  if (email != null && !isAddress(email)) {
    faults.add(['input', 'email'], `must be an e-mail address of at most ${LONGEST_ADDRESS} characters`)
  }
  faults.throwAny()
}

function isAddress(email: string): boolean {
  return (
    email.length <= LONGEST_ADDRESS && email.isWellFormed() && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)
  )
}
