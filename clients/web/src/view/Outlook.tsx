import { useMemo } from 'preact/hooks'
import type { QueuePosition, Sale } from '../../../sdk/index.ts'
import { type TextKey, t } from '../i18n/texts.ts'
import { clockOf, roughTime } from '../i18n/times.ts'
import { createSteadyWait } from './steadyWait.ts'

/** Why there is no estimate: four cases that mean different things to a fan. */
const WHY_NONE = {
  PAUSED: { wait: 'line.waitPaused', why: 'line.pausedWhy' },
  RATE_UNKNOWN: { wait: 'line.waitUnknown', why: 'line.rateUnknown' },
  ALL_HELD: { wait: 'line.untilFree', why: 'line.allHeld' },
  MAY_NOT_REACH: { wait: 'line.waitUnknown', why: 'line.mayNotReach' },
} as const satisfies Record<string, { wait: TextKey; why: TextKey }>

/** From this many people on, less than a minute would be a false promise. */
const SOME_AHEAD = 10

/** The people ahead and the wait, with the reason where there is no estimate. */
export function Outlook({ position, sale }: { position: QueuePosition; sale: Sale }) {
  const steady = useMemo(createSteadyWait, [])
  const wait = useMemo(() => steady(position), [position])
  const ahead = (position.position ?? 1) - 1
  const outlook = sale.state === 'PAUSED' ? 'PAUSED' : wait.outlook
  const isNext = ahead === 0 && (outlook === 'ESTIMATED' || outlook === 'RATE_UNKNOWN')
  const none = isNext || outlook === null || outlook === 'ESTIMATED' ? null : WHY_NONE[outlook]
  const seconds = ahead >= SOME_AHEAD ? Math.max(wait.seconds ?? 0, 60) : (wait.seconds ?? 0)
  return (
    <div class="outlook">
      <dl>
        <div>
          <dt>{t('line.yourWait')}</dt>
          <dd>
            {none ? t(none.wait) : isNext ? t('line.anyMoment') : roughTime(seconds)}
            {!none && seconds >= 120 && (
              <span class="faint">
                {t('line.around', { time: clockOf(Date.parse(position.asOf) + seconds * 1_000) })}
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>{t('line.ahead')}</dt>
          <dd>{ahead === 0 ? t('line.noneAhead') : t('line.people', { count: ahead })}</dd>
        </div>
      </dl>
      {none && (
        <p>
          {t(none.why)}
          {outlook === 'MAY_NOT_REACH' && ` ${t('line.thanksForWaiting')}`}
        </p>
      )}
    </div>
  )
}
