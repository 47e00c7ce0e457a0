import { computed, type ReadonlySignal } from '@preact/signals'
import type { Sale } from '../../../sdk/index.ts'
import type { AccountModel } from './account.ts'
import type { Line } from './line.ts'
import type { Purchase } from './purchase.ts'

/** The fan's current step on the way to the ticket. */
export type Step = 'event' | 'line' | 'seats' | 'pay' | 'tickets'

interface Deps {
  sale: ReadonlySignal<Sale | null>
  account: AccountModel
  line: Line
  purchase: Purchase
  /** True where the fan wants to see the tickets. */
  atTickets: ReadonlySignal<boolean>
}

interface Steps {
  readonly step: ReadonlySignal<Step>
  /** True where the sale, the account and the place let the fan choose seats. */
  readonly mayChoose: ReadonlySignal<boolean>
}

/** Returns the step that follows from the sale, the place, the hold and the orders. */
export function createStep({ sale, account, line, purchase, atTickets }: Deps): Steps {
  const mayChoose = computed(() => {
    const { state: saleState, waitingRoom } = sale.value ?? {}
    if (saleState !== 'ON_SALE' && saleState !== 'PAUSED') return false
    if (!account.name.value) return false
    if (!waitingRoom) return true
    const { state: queueState, admission } = line.position.value ?? {}
    return queueState === 'OPEN' || (queueState === 'ADMITTED' && !!admission)
  })

  const step = computed<Step>(() => {
    if (purchase.hold.value && !(purchase.changing.value && mayChoose.value)) return 'pay'
    if (atTickets.value && purchase.orders.value.some(({ tickets }) => tickets.length)) return 'tickets'
    if (mayChoose.value) return 'seats'
    const queueState = line.position.value?.state
    return queueState === 'PRE_QUEUE' || queueState === 'WAITING' || queueState === 'ADMITTED'
      ? 'line'
      : 'event'
  })
  return { step, mayChoose }
}
