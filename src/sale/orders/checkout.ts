import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createPacedReads } from '../../async/pacedReads.ts'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { Reservation } from '../../payments/guard.ts'
import { ProviderBusy } from '../../payments/provider.ts'
import type { Payments } from '../../payments/registry.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database/database.ts'
import { keepLanguage } from '../../sql/mails.ts'
import { type Claim, claimOrder, readClaim } from '../../sql/orders/claims.ts'
import { readPayment } from '../../sql/orders/unsettledOrders.ts'
import type { Account } from '../caller.ts'
import { badInput, idempotencyKeyReused } from '../faults.ts'
import { eventOf, newId } from '../ids.ts'
import { createInputFaults } from '../inputFaults.ts'
import { isTag, localeOf } from '../languages.ts'
import { CheckoutBusy, HoldNotFound, PaymentDeclined, SeatsGone } from '../refusals.ts'
import { createBusyRefusal } from './busyRefusal.ts'
import { type Capture, createCapture } from './capture.ts'
import { createEndPayment, type EndPayment } from './endPayment.ts'
import { createPublishOrderChange, type OrderChangesDeps } from './orderChanges.ts'
import type { Orders, OrderView } from './orders.ts'
import { createPayment } from './payment.ts'
import { createRefunds, type Refunds } from './refunds.ts'
import { createSettler, type Settler } from './settle.ts'

export interface CheckoutInput {
  holdId: string
  /** The provider's token for a card. Required even where the amount is zero; then any text is accepted. */
  paymentMethod: string
  /** The provider of the payment method; default: the one that takes new orders now. */
  provider?: string | null
  /** The address for the tickets; default: the account's address. */
  email?: string | null
  /** A BCP 47 tag: the language of the account's mails. Null: as it was. */
  locale?: string | null
  idempotencyKey: string
}

export type CheckoutResult = OrderView | PaymentDeclined | SeatsGone | HoldNotFound | CheckoutBusy

export interface Checkout
  extends Settler,
    Pick<Capture, 'capture' | 'cancelPayment'>,
    EndPayment,
    Pick<Refunds, 'refundPayment'> {
  /**
   * Buys a hold: claims it for an order, pays, sells. No transaction is open while the provider works.
   *
   * The same key and input return the same order, as it is now; while the order is being paid for, the second call
   * waits for the first, unless too many calls wait in this process. Another key returns the order that is paying for the hold, bought it, or found its seats gone:
   * a hold has at most one such order. An order that waits for its buyer is the exception: another key ends its payment, and
   * starts a new one. The order is PAYING where the buyer must act, or the provider does not answer in time: it goes on by the
   * provider's message, the buyer's return or the settler, whichever comes first. An account that was declined too often waits
   * before its next card. A hold whose checkout the provider's outage refuses is extended: see busyRefusal.ts.
   *
   * The answer is CheckoutBusy where the named provider is out: its payment method is of no use elsewhere.
   *
   * Throws BAD_USER_INPUT, and IDEMPOTENCY_KEY_REUSED where the key came with other input.
   */
  checkout(account: Account, input: CheckoutInput): Promise<CheckoutResult>
}

export interface CheckoutDeps extends OrderChangesDeps {
  db: Database
  payments: Payments
  orders: Orders
  /** The address of this server. */
  publicUrl: string
  publish: Publish
  log: Logger
  /** How long checkout waits for a provider that does not answer, before the settler continues. Default: 10 s. */
  patienceMs?: number
}

/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const LONGEST_ADDRESS = 254

const FIRST_PAUSE_MS = 250
const RETRY_SECONDS = 5
/** Calls of a process that wait for another call or look at its payment again. Each has a slot that another checkout could use. */
const MOST_WAITING = 10
/** The rest between two looks of retries at one payment: each look takes one of the calls that the provider allows. */
const LOOK_REST_MS = 500

export function createCheckout(deps: CheckoutDeps): Checkout {
  const { db, payments, orders, publicUrl, seatMap, rooms, publish, log, patienceMs = 10_000 } = deps
  const publishChange = createPublishOrderChange({ publish, seatMap, rooms })
  const payment = createPayment({ db, payments, publicUrl, publishChange, log })
  const refunds = createRefunds({ db, payments, publishChange, log })
  const capture = createCapture({ db, payments, publishChange, log })
  const refuseBusy = createBusyRefusal({ db, publish, seatMap })
  const settler = createSettler({ db, payment, capture, refunds, publish, publishChange, log })

  const looks = createPacedReads<unknown>(LOOK_REST_MS)
  const endings = createSingleFlights<boolean>()
  let waiting = 0

  async function read(account: Account, orderId: string): Promise<OrderView> {
    const order = await orders.find(account, orderId)
    if (!order) throw new Error(`order ${orderId} was claimed and does not exist`)
    return order
  }

  /**
   * Waits for the call that is paying. If that call's process died, or if the buyer has been asked to act, this call reads from
   * the provider where the payment stands.
   */
  async function readWhenSettled(account: Account, orderId: string): Promise<OrderView> {
    const order = await read(account, orderId)
    if (order.state !== 'PAYING' || waiting >= MOST_WAITING) return order
    waiting++
    try {
      return await waitUntilSettled(account, orderId)
    } finally {
      waiting--
    }
  }

  async function waitUntilSettled(account: Account, orderId: string): Promise<OrderView> {
    const updates = orders.updates(account, orderId)
    const timer = setTimeout(() => updates.return?.(), patienceMs)
    try {
      for await (const order of updates) {
        if (order.state !== 'PAYING') return order
        if (order.nextAction !== null) break
      }
    } finally {
      clearTimeout(timer)
    }
    await looks
      .read(orderId, () => settler.settle(orderId))
      .catch((error) => {
        log.warn({ orderId, err: error }, 'an order is not settled yet')
      })
    return read(account, orderId)
  }

  /** `reserved`: null where the claim will call no provider. */
  async function claimAndPay(
    account: Account,
    claim: Claim,
    reserved: Reservation | null,
  ): Promise<CheckoutResult> {
    const { eventId, holdId, orderId: id } = claim
    const { outcome, orderId, isOfKey, changes } = await claimOrder(db, claim)
    switch (outcome) {
      case 'hold_not_found':
        return new HoldNotFound()
      case 'key_reused':
        throw idempotencyKeyReused()
      case 'known':
        // A call that waits for another one reserves nothing.
        reserved?.end()
        return answer(await (isOfKey ? readWhenSettled : read)(account, orderId as string))
      case 'seats_gone':
        publishChange({ eventId, orderId: id, holdId })
        return new SeatsGone(id)
    }
    publishChange({ eventId, orderId: id, holdId, changes })
    await payWithPatience(eventId, id, reserved)
    return answer(await read(account, id))
  }

  /** Asks again while the outcome is unknown: only the provider's own record is definite. */
  async function payWithPatience(eventId: string, orderId: string, reserved: Reservation | null) {
    const deadline = performance.now() + patienceMs
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      const wait = pause * (0.5 + Math.random())
      const isLast = performance.now() + wait > deadline
      try {
        const order = await readPayment(db, eventId, orderId)
        const progress = order ? await payment.advance(order, reserved ?? undefined) : 'settled'
        if (progress !== 'waits_for_provider' || isLast) return
      } catch (error) {
        log.warn({ orderId, err: error, isLast }, 'an order is not settled yet')
        if (isLast) return
      }
      await sleep(wait)
    }
  }

  /**
   * Ends the payment of an order that waits for its buyer. Returns false where the order still decides over its hold. Throws
   * ProviderBusy where the provider does not cancel it.
   */
  async function endWaiting(eventId: string, orderId: string): Promise<boolean> {
    const first = await readPayment(db, eventId, orderId)
    try {
      // An approval that has come meanwhile is sold.
      if (first && (await payment.advance(first)) === 'waits_for_buyer') await payment.abandon(first)
    } catch (error) {
      log.warn({ orderId, err: error }, 'a payment that waits for its buyer was not cancelled')
      throw error instanceof ProviderBusy ? error : new ProviderBusy(RETRY_SECONDS)
    }
    return (await readPayment(db, eventId, orderId))?.state === 'DECLINED'
  }

  return {
    async checkout(account, input) {
      refuseBadInput(input)
      const eventId = eventOf('hld', input.holdId)
      if (!eventId) return new HoldNotFound()
      const provider = payments.takingNewOrders(input.provider ?? '') ?? payments.forNewOrders()
      const claim = toClaim(account, eventId, input, provider.name)

      const known = await readClaim(db, claim)
      if (known.keyOrderId !== null) {
        if (known.keyInputHash !== claim.inputHash) throw idempotencyKeyReused()
        return answer(await readWhenSettled(account, known.keyOrderId))
      }
      // Not before: a retry gets its order, also where the configuration has lost the provider since.
      if (input.provider != null && provider.name !== input.provider) throw notTaking()
      if (known.hold === null) return new HoldNotFound()
      try {
        if (known.holdOrderId !== null) {
          const { holdOrderId } = known
          const isEnded =
            known.holdOrderWaits && (await endings.run(holdOrderId, () => endWaiting(eventId, holdOrderId)))
          if (!isEnded) return answer(await read(account, holdOrderId))
        }

        const { hold } = known
        // Before the claim, so that no mail of the order is written without it.
        const locale = input.locale == null ? null : localeOf(input.locale)
        if (locale) await keepLanguage(db, account.id, locale.tag)
        // A claim that will authorize nothing takes no permit, so that it keeps none from a call that pays.
        if (hold.amount === 0n || hold.isOver) return await claimAndPay(account, claim, null)
        if (known.pausedSeconds !== null) return new CheckoutBusy(known.pausedSeconds)
        const reserved = await provider.reserve(eventId)
        try {
          return await claimAndPay(account, claim, reserved)
        } finally {
          reserved.end()
        }
      } catch (error) {
        // Thrown only before the claim; after the claim the order waits instead.
        if (error instanceof ProviderBusy) return refuseBusy(claim, error.retryAfterSeconds)
        throw error
      }
    },
    ...settler,
    capture: capture.capture,
    cancelPayment: capture.cancelPayment,
    ...createEndPayment({ db, payments, payment, publishChange }),
    refundPayment: refunds.refundPayment,
  }
}

function toClaim(account: Account, eventId: string, input: CheckoutInput, provider: string): Claim {
  const { holdId, paymentMethod, email = null, idempotencyKey } = input
  const named = input.provider == null ? [] : [input.provider]
  return {
    eventId,
    holdId,
    accountId: account.id,
    orderId: newId('ord', eventId),
    idempotencyKey,
    // The input as given: the account's own address may have changed before the retry.
    inputHash: createHash('sha256')
      .update(JSON.stringify([holdId, paymentMethod, email, ...named]))
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

const notTaking = () =>
  badInput({ path: ['input', 'provider'], message: 'must be a provider that `Hold.payments` names' })

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
