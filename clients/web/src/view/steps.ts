import type { Step } from '../model/step.ts'
import { type LazyView, lazyView } from './lazyView.ts'

/** The views of the steps after the first one. */
export const STEPS: Readonly<Record<Exclude<Step, 'event'>, LazyView>> = {
  line: lazyView(async () => (await import('./LineView.tsx')).LineView, 'line', 'map'),
  seats: lazyView(async () => (await import('./Seats.tsx')).Seats, 'line', 'map', 'buy'),
  pay: lazyView(async () => (await import('./Pay.tsx')).Pay, 'buy'),
  tickets: lazyView(async () => (await import('./Tickets.tsx')).Tickets, 'tickets'),
}

/** The step that probably follows. */
export const NEXT: Readonly<Record<Step, Exclude<Step, 'event'> | null>> = {
  event: null,
  line: 'seats',
  seats: 'pay',
  pay: 'tickets',
  tickets: null,
}
