import { computed, type ReadonlySignal, signal } from '@preact/signals'
import {
  type AccountState,
  type Fairgate,
  type Hold,
  type HoldRefusal,
  type Order,
  type PaymentOutcome,
  randomId,
  type Ticket,
} from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import { declined, holdRefusal } from './buyTexts.ts'
import type { Choice, ChosenSeat } from './choice.ts'
import type { Notices } from './notice.ts'
import { trouble } from './trouble.ts'

/** The purchase, from the hold to the tickets. */
export interface Purchase {
  readonly hold: ReadonlySignal<Hold | null>
  /** `paying`: the bank has the payment, and the page waits for its answer. */
  readonly state: ReadonlySignal<'idle' | 'holding' | 'releasing' | 'paying'>
  readonly tickets: ReadonlySignal<readonly Ticket[]>
  /** The order that the fan has just bought; null otherwise. */
  readonly bought: ReadonlySignal<Order | null>
  holdChoice(eventId: string): Promise<void>
  /** Shows a hold that the fan did not start, such as an offer of the waitlist. */
  take(hold: Hold): void
  release(): Promise<void>
  pay(paymentMethod: string): Promise<void>
  resume(accountState: AccountState): void
  drop(): void
}

interface Deps {
  fairgate: Fairgate
  choice: Choice
  notices: Notices
  announcer: Announcer
}

export function createPurchase({ fairgate, choice, notices, announcer }: Deps): Purchase {
  const { holds, checkout } = fairgate
  const hold = signal<Hold | null>(null)
  const state = signal<'idle' | 'holding' | 'releasing' | 'paying'>('idle')
  const orders = signal<readonly Order[]>([])
  const bought = signal<Order | null>(null)
  const tickets = computed(() =>
    orders.value
      .filter((order) => order.state === 'CONFIRMED')
      .flatMap((order) => order.tickets.filter(({ voided }) => !voided)),
  )
  let stopWatching = () => {}
  const awaited = new Map<string, () => void>()
  // One idempotency key for one request: a fan who presses again after a lost answer sends the same request.
  let holdRequest: { seats: string; key: string } | null = null
  let payRequest: { what: string; key: string } | null = null

  function problem(text: string, actions?: { label: string; run(): void }[]) {
    notices.show({ tone: 'problem', text, ...(actions ? { actions } : {}) })
  }

  function take(next: Hold) {
    hold.value = next
    stopWatching()
    stopWatching = holds.watch(
      next.id,
      (now) => {
        if (hold.value?.id !== now.id) return
        hold.value = now
        if (state.value === 'paying' || now.state === 'ACTIVE') return
        if (now.state === 'SOLD') return
        dropHold()
        if (now.state === 'EXPIRED') {
          announcer.interrupt(t('buy.timeOver'))
          problem(t('buy.timeOverNoMoney'))
        }
      },
      () => undefined,
    )
  }
  function dropHold() {
    stopWatching()
    hold.value = null
    payRequest = null
  }

  /** Watches an order until its tickets have their codes: those exist once the money is captured. */
  function awaitCodes(order: Order) {
    const isWaiting =
      order.state === 'CONFIRMED' && order.tickets.some((ticket) => !ticket.voided && !ticket.barcode)
    if (!isWaiting || awaited.has(order.id)) return
    const stop = checkout.watch(
      order.id,
      (now) => {
        orders.value = orders.value.map((known) => (known.id === now.id ? now : known))
        if (now.state !== 'CONFIRMED') problem(t('buy.orderCancelledLate'))
        else if (now.tickets.some((ticket) => !ticket.voided && !ticket.barcode)) return
        awaited.get(now.id)?.()
        awaited.delete(now.id)
      },
      () => undefined,
    )
    awaited.set(order.id, stop)
  }

  function refused(refusal: HoldRefusal) {
    const named =
      refusal.__typename === 'SeatsTaken'
        ? refusal.unavailable
        : refusal.__typename === 'OrphanSeats'
          ? refusal.stranded
          : []
    const names = named.flatMap((id) => {
      const found = choice.find(id)
      return found ? [seatName(found.seat)] : []
    })
    if (refusal.__typename === 'OrphanSeats') choice.markStranded(refusal.stranded)
    if (refusal.__typename !== 'SeatsTaken') return problem(holdRefusal(refusal, names))
    choice.drop(refusal.unavailable)
    const blocks = refusal.alternatives
      .map((ids) => ids.flatMap((id) => choice.find(id) ?? []))
      .filter((block): block is ChosenSeat[] => block.length > 0)
    problem(
      holdRefusal(refusal, names),
      blocks.map((block) => ({
        label: t('buy.chooseThese', { seats: formatter().list(block.map(({ seat }) => seatName(seat))) }),
        run() {
          notices.clear()
          choice.replace(block)
        },
      })),
    )
  }

  function paid(outcome: PaymentOutcome) {
    payRequest = null
    switch (outcome.__typename) {
      case 'Order':
        orders.value = [outcome, ...orders.value.filter(({ id }) => id !== outcome.id)]
        dropHold()
        choice.replace([])
        if (outcome.state === 'CONFIRMED') {
          bought.value = outcome
          notices.clear()
          awaitCodes(outcome)
        } else problem(t('buy.orderCancelled'))
        return
      case 'PaymentDeclined':
        announcer.interrupt(t('buy.cardDeclined'))
        return problem(declined(outcome.order.declineReason))
      case 'SeatsGone':
        dropHold()
        choice.replace([])
        return problem(t('buy.noLongerYours'))
      case 'HoldNotFound':
        dropHold()
        return problem(t('buy.noLongerHeld'))
      case 'CheckoutBusy':
        return problem(t('buy.checkoutBusy'))
    }
  }

  async function settle(outcome: Promise<PaymentOutcome>) {
    state.value = 'paying'
    try {
      paid(await outcome)
    } catch (error) {
      problem(trouble(error))
    } finally {
      state.value = 'idle'
    }
  }

  return {
    hold,
    state,
    tickets,
    bought,
    take,
    async holdChoice(eventId) {
      if (state.value !== 'idle') return
      const ids = choice.chosen.value.map(({ seat }) => seat.id)
      const seats = [...ids].sort().join()
      if (holdRequest?.seats !== seats) holdRequest = { seats, key: randomId() }
      state.value = 'holding'
      choice.freeze(true)
      notices.clear()
      try {
        const result = await holds.hold(eventId, { seats: ids }, holdRequest.key)
        holdRequest = null
        if (result.__typename === 'Hold') {
          take(result)
          choice.replace([])
          choice.open(null)
        } else refused(result)
        choice.freeze(false)
      } catch (error) {
        problem(trouble(error))
      } finally {
        state.value = 'idle'
      }
    },
    async release() {
      const held = hold.value
      if (!held || state.value !== 'idle') return
      state.value = 'releasing'
      try {
        const result = await holds.release(held.id)
        if (result.__typename === 'HoldInCheckout') return problem(t('buy.beingPaid'))
        dropHold()
        announcer.say(t('buy.backOnSale'))
      } catch (error) {
        problem(trouble(error))
      } finally {
        state.value = 'idle'
      }
    },
    async pay(paymentMethod) {
      const held = hold.value
      if (!held || state.value !== 'idle') return
      const what = `${held.id} ${paymentMethod}`
      if (payRequest?.what !== what) payRequest = { what, key: randomId() }
      notices.clear()
      await settle(checkout.pay({ holdId: held.id, paymentMethod, key: payRequest.key }))
    },
    resume({ holds: active, orders: theirs }) {
      orders.value = theirs
      theirs.forEach(awaitCodes)
      const [held] = active
      if (held) take(held)
      const paying = theirs.find((order) => order.state === 'PAYING')
      if (paying) void settle(checkout.settled(paying.id))
    },
    drop() {
      dropHold()
      for (const stop of awaited.values()) stop()
      awaited.clear()
      orders.value = []
      bought.value = null
    },
  }
}
