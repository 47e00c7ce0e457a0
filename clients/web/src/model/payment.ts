import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import {
  type Fairgate,
  type Hold,
  type Order,
  type PaymentOutcome,
  randomId,
  type Ticket,
} from '../../../sdk/index.ts'
import { loadTexts, t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import { declined } from './buyTexts.ts'
import { confirmAtProvider } from './confirmAtProvider.ts'
import type { Kept } from './kept.ts'
import type { Notices } from './notice.ts'
import type { PaymentMethod } from './paymentMethod.ts'
import type { PurchaseState } from './purchaseState.ts'
import { trouble } from './trouble.ts'

/** The payment of a hold, and the orders of the account for this event. */
export interface Payment {
  readonly orders: ReadonlySignal<readonly Order[]>
  /** The valid tickets. */
  readonly tickets: ReadonlySignal<readonly Ticket[]>
  /** The order that the fan has just bought; null otherwise. */
  readonly bought: ReadonlySignal<Order | null>
  /** The page of the provider that waits for the fan; null otherwise. */
  readonly action: ReadonlySignal<string | null>
  pay(method: PaymentMethod): Promise<void>
  /** Shows the form again while the provider waits for the fan. The next attempt ends this one. */
  payAnotherWay(): void
  /** Waits for an order of another tab or device, and shows its outcome. */
  follow(order: Pick<Order, 'id' | 'state'>): Promise<void>
  /** Takes the account's orders, and shows the outcome of a payment that left this page. */
  resume(orders: readonly Order[]): void
  drop(): void
}

interface Deps {
  fairgate: Fairgate
  hold: () => Hold | null
  dropHold(): void
  state: Signal<PurchaseState>
  /** The order that the fan left the page to pay for. */
  left: Kept<string>
  notices: Notices
  announcer: Announcer
}

export function createPayment(deps: Deps): Payment {
  const { fairgate, dropHold, state, left, notices, announcer } = deps
  const { checkout } = fairgate
  const orders = signal<readonly Order[]>([])
  const bought = signal<Order | null>(null)
  const action = signal<string | null>(null)
  const tickets = computed(() =>
    orders.value
      .filter((order) => order.state === 'CONFIRMED')
      .flatMap((order) => order.tickets.filter(({ voided }) => !voided)),
  )
  const watched = new Map<string, () => void>()
  let request: { what: string; key: string } | null = null
  /** Ends the wait for an attempt that the fan has given up. */
  let attempt = new AbortController()
  /** The step that the provider waits for. */
  let asked: string | null = null
  /** The last order that was paid for here: a late message about it is no news. */
  let own = ''

  function show(text: () => string) {
    notices.show({ tone: 'problem', text })
  }

  /**
   * Watches an order as long as a ticket is valid: it gets its code once the money is captured, and becomes void when the
   * order is refunded.
   */
  function watch(order: Order) {
    if (order.state !== 'CONFIRMED' || watched.has(order.id)) return
    const stop = checkout.watch(
      order.id,
      (now) => {
        const before = orders.value.find(({ id }) => id === now.id)
        orders.value = orders.value.map((known) => (known.id === now.id ? now : known))
        if (now.state === 'CONFIRMED') return
        if (before?.state === 'CONFIRMED') void ended(now)
        watched.get(now.id)?.()
        watched.delete(now.id)
      },
      () => undefined,
    )
    watched.set(order.id, stop)
  }

  async function ended({ payment }: Order) {
    await loadTexts('buy')
    const isRefund = payment === 'REFUND_OWED' || payment === 'REFUNDED' || payment === 'PARTIALLY_REFUNDED'
    show(() => t(isRefund ? 'buy.orderRefunded' : 'buy.orderCancelledLate'))
  }

  function keep(order: Order) {
    orders.value = [order, ...orders.value.filter(({ id }) => id !== order.id)]
  }

  function paid(outcome: PaymentOutcome) {
    request = null
    switch (outcome.__typename) {
      case 'Order':
        keep(outcome)
        dropHold()
        if (outcome.state !== 'CONFIRMED') return show(() => t('buy.orderCancelled'))
        notices.clear()
        bought.value = outcome
        return watch(outcome)
      case 'PaymentDeclined':
        own = outcome.order.id
        return show(() => declined(outcome.order.declineReason))
      case 'SeatsGone':
        dropHold()
        return show(() => t('buy.noLongerYours'))
      case 'HoldNotFound':
        dropHold()
        return show(() => t('buy.noLongerHeld'))
      case 'CheckoutBusy':
        return show(() => t('buy.checkoutBusy'))
    }
  }

  async function settle(outcome: (signal: AbortSignal) => Promise<PaymentOutcome>) {
    attempt.abort()
    attempt = new AbortController()
    const { signal } = attempt
    asked = null
    state.value = 'paying'
    // An old outcome must not be read as this attempt's.
    notices.clear()
    announcer.clear()
    try {
      const settled = await outcome(signal)
      // The fan may be back before the step that shows these texts.
      await loadTexts('buy')
      if (!signal.aborted) paid(settled)
    } catch (error) {
      if (!signal.aborted) show(() => trouble(error))
    } finally {
      if (!signal.aborted) {
        state.value = 'idle'
        action.value = null
        left.write(null)
      }
    }
  }

  /** The provider waits for the fan: in a window over this page where it has one, otherwise on its own page. */
  function waiting(order: Order, mayLeave: boolean) {
    const { nextAction } = order
    own = order.id
    const step = nextAction && `${order.id} ${nextAction.clientSecret} ${nextAction.url}`
    if (step === asked) return
    asked = step
    action.value = nextAction?.url ?? null
    if (!nextAction) return
    left.write(order.id)
    const { publishableKey } = deps.hold()?.payments ?? {}
    if (nextAction.clientSecret && publishableKey)
      void confirmAtProvider(order.id, publishableKey, nextAction.clientSecret).catch((error) =>
        show(() => trouble(error)),
      )
    else if (nextAction.url && mayLeave) location.assign(nextAction.url)
  }

  /** A fan who came back, or reloaded the page, leaves it again only by a press. */
  const stay = (order: Order) => waiting(order, false)

  effect(() => {
    orders.value.forEach(watch)
  })

  return {
    orders,
    tickets,
    bought,
    action,
    async pay(method) {
      const held = deps.hold()
      if (!held || state.value !== 'idle') return
      const what = `${held.id} ${method.token}`
      if (request?.what !== what) request = { what, key: randomId() }
      const { key } = request
      await settle((signal) =>
        checkout.pay(
          {
            holdId: held.id,
            paymentMethod: method.token,
            provider: method.provider,
            locale: document.documentElement.lang,
            key,
          },
          (order) => waiting(order, true),
          signal,
        ),
      )
    },
    payAnotherWay() {
      attempt.abort()
      request = null
      left.write(null)
      action.value = null
      state.value = 'idle'
    },
    async follow({ id, state }) {
      if (state === 'PAYING' && id === own) return
      // The window of the bank is in the other tab.
      const show = ({ nextAction }: Order) => {
        action.value = nextAction?.url ?? null
      }
      await settle((signal) => checkout.settled(id, show, signal))
    },
    resume(theirs) {
      orders.value = theirs
      // The payment that is under way here decides: the fan may be at a step of it.
      if (state.value === 'paying') return
      const leftFor = theirs.find(({ id }) => id === left.read())
      const paying = theirs.find((order) => order.state === 'PAYING')
      if (paying) return void settle((signal) => checkout.settled(paying.id, stay, signal))
      left.write(null)
      if (leftFor) void loadTexts('buy').then(() => paid(outcomeOf(leftFor)))
    },
    drop() {
      attempt.abort()
      if (state.value === 'paying') state.value = 'idle'
      for (const stop of watched.values()) stop()
      watched.clear()
      orders.value = []
      bought.value = null
      action.value = null
    },
  }
}

function outcomeOf(order: Order): PaymentOutcome {
  if (order.state === 'SEATS_GONE') return { __typename: 'SeatsGone', order }
  return order.state === 'DECLINED' ? { __typename: 'PaymentDeclined', order } : order
}
