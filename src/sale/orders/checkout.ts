import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Money } from '../../money.ts'
import { type PaymentProvider, type Payments, ProviderBusy } from '../../payments/provider.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import { keepLanguage } from '../../sql/mails.ts'
import { type Claim, claimOrder, readClaim } from '../../sql/orders.ts'
import type { Account } from '../caller.ts'
import { idempotencyKeyReused } from '../faults.ts'
import { eventOf, newId } from '../ids.ts'
import { createInputFaults } from '../inputFaults.ts'
import { isTag, localeOf } from '../languages.ts'
import { CheckoutBusy, HoldNotFound, PaymentDeclined, SeatsGone } from '../refusals.ts'
import { type Capture, createCapture } from './capture.ts'
import { createPublishOrderChange, type OrderChangesDeps } from './orderChanges.ts'
import type { Orders, OrderView } from './orders.ts'
import { createSettler, type PayableOrder, pay, type Settler } from './settle.ts'

export interface CheckoutInput {
  holdId: string
  /** The provider's token for a card. Required even where the amount is zero; then any text is accepted. */
  paymentMethod: string
  /** The address for the tickets; default: the account's address. */
  email?: string | null
  /** A BCP 47 tag: the language of the account's mails. Null: as it was. */
  locale?: string | null
  idempotencyKey: string
}

export type CheckoutResult = OrderView | PaymentDeclined | SeatsGone | HoldNotFound | CheckoutBusy

export interface Checkout extends Settler, Capture {
  /**
   * Buys a hold in three short steps: claim it for an order, authorize, sell. No transaction is open while the provider
   * works.
   *
   * The same key and input return the same order, as it is now; while the order is being paid for, the second call
   * waits for the first. Another key returns the order that is paying for the hold, bought it, or found its seats gone:
   * a hold has at most one such order. The order is PAYING where the provider does not answer in time: the settler
   * continues it. An account that was declined too often waits before its next card.
   *
   * Throws BAD_USER_INPUT, and IDEMPOTENCY_KEY_REUSED where the key came with other input.
   */
  checkout(account: Account, input: CheckoutInput): Promise<CheckoutResult>
}

export interface CheckoutDeps extends OrderChangesDeps {
  db: Database
  payments: Payments
  orders: Orders
  publish: Publish
  log: Logger
  /** How long checkout waits for a provider that does not answer, before the settler continues. Default: 10 s. */
  patienceMs?: number
}

/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const LONGEST_ADDRESS = 254

const FIRST_PAUSE_MS = 250

export function createCheckout(deps: CheckoutDeps): Checkout {
  const { db, payments, orders, seatMap, rooms, publish, log, patienceMs = 10_000 } = deps
  const publishChange = createPublishOrderChange({ publish, seatMap, rooms })
  const settler = createSettler({ db, payments, publish, publishChange, log })

  async function read(account: Account, orderId: string): Promise<OrderView> {
    const order = await orders.find(account, orderId)
    if (!order) throw new Error(`order ${orderId} was claimed and does not exist`)
    return order
  }

  /** Waits for the call that is paying. If that call's process died, this call settles the order itself. */
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
        publishChange({ eventId, orderId: id, holdId })
        return new SeatsGone(id)
    }
    publishChange({ eventId, orderId: id, holdId, changes })
    await payWithPatience({ id, eventId, holdId, state: 'PAYING', paymentMethod, ...amount }, authorize)
    return answer(await read(account, id))
  }

  /** Repeats the same authorize while its outcome is unknown: only the provider's own answer is definite. */
  async function payWithPatience(order: PayableOrder, authorize: PaymentProvider['authorize']) {
    const deadline = performance.now() + patienceMs
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await pay({ db, publishChange }, order, authorize)
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
      // Before the claim, so that no mail of the order is written without it.
      const locale = input.locale == null ? null : localeOf(input.locale)
      if (locale) await keepLanguage(db, account.id, locale.tag)
      // A claim that will authorize nothing takes no permit, so that it keeps none from a call that pays.
      if (hold.amount === 0n || hold.isOver) return claimAndPay(account, claim, hold, payments.authorize)
      if (known.pausedSeconds !== null) return new CheckoutBusy(known.pausedSeconds)
      try {
        return await payments.withPermit((authorize) => claimAndPay(account, claim, hold, authorize))
      } catch (error) {
        // Thrown only before the claim; after the claim the order waits instead.
        if (error instanceof ProviderBusy) return new CheckoutBusy(error.retryAfterSeconds)
        throw error
      }
    },
    ...settler,
    ...createCapture({ db, payments, publishChange, log }),
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
    // The input as given: the account's own address may have changed before the retry.
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

function refuseBadInput({ paymentMethod, email, locale, idempotencyKey }: CheckoutInput): void {
  const faults = createInputFaults()
  faults.text(['input', 'paymentMethod'], paymentMethod)
  faults.text(['input', 'idempotencyKey'], idempotencyKey)
  if (email != null && !isAddress(email)) {
    faults.add(['input', 'email'], `must be an e-mail address of at most ${LONGEST_ADDRESS} characters`)
  }
  if (locale != null && !isTag(locale)) faults.add(['input', 'locale'], 'must be a BCP 47 tag such as de-AT')
  faults.throwAny()
}

function isAddress(email: string): boolean {
  return (
    email.length <= LONGEST_ADDRESS && email.isWellFormed() && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)
  )
}
