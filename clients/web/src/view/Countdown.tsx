import type { Page } from '../model/page.ts'
import { spokenTime, timeOfDay } from '../texts.ts'

/** Counts down by the server's clock. The parts keep their width. */
export function Countdown({ page, to, label }: { page: Page; to: string; label: string }) {
  const seconds = page.time.secondsUntil(to)
  const parts = [
    ['days', Math.floor(seconds / 86_400)],
    ['hours', Math.floor(seconds / 3_600) % 24],
    ['minutes', Math.floor(seconds / 60) % 60],
    ['seconds', seconds % 60],
  ] as const
  const shown = parts.slice(seconds >= 86_400 ? 0 : seconds >= 3_600 ? 1 : 2)
  return (
    <div class="countdown">
      <h2>{label}</h2>
      <div role="timer" aria-label={seconds < 3_600 ? spokenTime(seconds) : timeOfDay(to)}>
        {shown.map(([unit, value]) => (
          <span key={unit} aria-hidden="true">
            <b>{String(value).padStart(2, '0')}</b>
            <i>{unit}</i>
          </span>
        ))}
      </div>
      <p class="faint">{timeOfDay(to)}, by our clock, not by that of your device</p>
    </div>
  )
}
