import { type ReadonlySignal, signal } from '@preact/signals'
import type { Clock } from '../../../sdk/transport/clock.ts'

export interface Time {
  /** The server's time in milliseconds, rounded to the second, for countdowns. */
  readonly now: ReadonlySignal<number>
  /** Whole seconds until an instant, rounded up; 0 after it. */
  secondsUntil(instant: string): number
}

export function createTime(clock: Clock): Time {
  const now = signal(Math.round(clock.now() / 1_000) * 1_000)
  setInterval(() => {
    now.value = Math.round(clock.now() / 1_000) * 1_000
  }, 200)
  return {
    now,
    secondsUntil: (instant) => Math.max(0, Math.ceil((Date.parse(instant) - now.value) / 1_000)),
  }
}
