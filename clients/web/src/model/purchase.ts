import { type ReadonlySignal, signal } from '@preact/signals'
import type { AccountState, EventPage, Fairgate } from '../../../sdk/index.ts'
import type { Announcer } from './announcer.ts'
import type { Choice } from './choice.ts'
import { createHolding, type Holding, type NotEnough } from './holding.ts'
import { keptInTab } from './kept.ts'
import type { Notices } from './notice.ts'
import { createPayment, type Payment } from './payment.ts'
import type { PurchaseState } from './purchaseState.ts'

/** The purchase, from the hold to the tickets. */
export interface Purchase
  extends Omit<Holding, 'drop' | 'forget'>,
    Pick<Payment, 'orders' | 'tickets' | 'bought' | 'action' | 'pay' | 'payAnotherWay'> {
  readonly state: { readonly value: PurchaseState }
  /** Holds the seats that the fan chose on the map, or exchanges the present hold for them. */
  holdChoice(eventId: string): Promise<NotEnough | null>
  resume(accountState: AccountState): void
  drop(): void
}

interface Deps {
  fairgate: Fairgate
  slug: string
  event: ReadonlySignal<EventPage | null>
  choice: Choice
  notices: Notices
  announcer: Announcer
}

export function createPurchase({ fairgate, slug, event, choice, notices, announcer }: Deps): Purchase {
  const state = signal<PurchaseState>('idle')
  const holding = createHolding({
    fairgate,
    choice,
    state,
    kept: keptInTab(slug, 'held'),
    paidElsewhere: (order) => void payment.follow(order),
    async currentHold() {
      const account = await fairgate.sales.accountState(event.value?.id ?? '')
      return account?.holds[0] ?? null
    },
    notices,
    announcer,
  })
  const payment = createPayment({
    fairgate,
    hold: () => holding.hold.value,
    dropHold() {
      holding.drop()
      holding.forget()
      choice.replace([])
    },
    state,
    left: keptInTab(slug, 'paying'),
    notices,
    announcer,
  })

  return {
    ...holding,
    ...payment,
    state,
    holdChoice: (eventId) =>
      holding.reserve(eventId, { seats: choice.chosen.value.map(({ seat }) => seat.id) }),
    resume({ holds: [held], orders }) {
      if (held) holding.take(held)
      if (orders.some(({ hold, state }) => hold.id === holding.lapsed.value?.holdId && state !== 'DECLINED'))
        holding.forget()
      payment.resume(orders)
      if (!held) void choice.restore()
      else if (history.state?.shows === 'changing' && !holding.changing.value) void holding.change(true)
    },
    drop() {
      holding.drop()
      holding.forget()
      payment.drop()
    },
  }
}
