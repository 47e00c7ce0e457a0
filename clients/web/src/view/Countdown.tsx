import { formatter, t } from '../i18n/texts.ts'
import { duration, timeOfDay } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'

/** Counts down by the server's clock. The parts keep their width. */
export function Countdown({ page, to, label }: { page: Page; to: string; label: string }) {
  const seconds = page.time.secondsUntil(to)
  const parts = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3_600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const
  const shown = parts.slice(seconds >= 86_400 ? 0 : seconds >= 3_600 ? 1 : 2)
  return (
    <div class="countdown">
      <h2>{label}</h2>
      <div role="timer" aria-label={seconds < 3_600 ? duration(seconds) : timeOfDay(to)}>
        {shown.map(([unit, value]) => (
          <span key={unit} aria-hidden="true">
            <b>{formatter().twoDigits(value)}</b>
            <i>{formatter().unitName(value, unit)}</i>
          </span>
        ))}
      </div>
      <p class="faint">{t('page.ourClock', { time: timeOfDay(to) })}</p>
    </div>
  )
}
