import type { QueuePosition, Sale } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import { roughTime } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import { ConfirmButton } from './ConfirmButton.tsx'
import { Countdown } from './Countdown.tsx'
import { Draw } from './Draw.tsx'
import { Hall } from './Hall.tsx'
import { LineGraphic } from './LineGraphic.tsx'

/** The place in the line, live, and the estimate of the wait. */
export function LineView({ page }: { page: Page }) {
  const position = page.line.position.value
  const sale = page.sale.value
  if (!position || !sale) return null
  const early = position.state === 'PRE_QUEUE'
  return (
    <div class="line">
      <section class="sheet">
        {early ? (
          <Early page={page} sale={sale} />
        ) : (
          <>
            <Place position={position} />
            <Outlook position={position} sale={sale} />
          </>
        )}
        <Draw page={page} position={position} />
        <LineGraphic position={position} waiting={sale.waitingRoom?.waiting ?? 0} />
        <p class="faint">{t('line.mayClose')}</p>
        <ConfirmButton
          label={t('line.leave')}
          question={t('line.leaveQuestion')}
          stay={t('line.stay')}
          go={t('line.leaveNow')}
          disabled={page.line.busy.value}
          run={page.line.leave}
        />
      </section>
      <Hall page={page} title={t('map.whatIsFree')} />
    </div>
  )
}

function Early({ page, sale }: { page: Page; sale: Sale }) {
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{t('line.inLine')}</h1>
        <p>{t('line.drawnLater')}</p>
      </div>
      {page.time.secondsUntil(sale.opensAt) > 0 && (
        <Countdown page={page} to={sale.opensAt} label={t('page.saleOpensIn')} />
      )}
    </>
  )
}

function Place({ position }: { position: QueuePosition }) {
  const { state, position: number } = position
  if (state === 'ADMITTED' || number === null) return <h1 tabIndex={-1}>{t('line.yourTurn')}</h1>
  return (
    <h1 tabIndex={-1} class="place">
      <span>{t('line.yourPlace')}</span>
      <b>{formatter().number(number)}</b>
    </h1>
  )
}

function Outlook({ position, sale }: { position: QueuePosition; sale: Sale }) {
  const { position: number, estimatedWaitSeconds, paused, available, held } = position
  const ahead = (number ?? 1) - 1
  return (
    <div class="outlook">
      <dl>
        <div>
          <dt>{t('line.ahead')}</dt>
          <dd>{ahead === 0 ? t('line.noneAhead') : t('line.people', { count: ahead })}</dd>
        </div>
        <div>
          <dt>{t('line.yourWait')}</dt>
          <dd>
            {paused || sale.state === 'PAUSED'
              ? t('line.waitPaused')
              : estimatedWaitSeconds === null
                ? ahead > 0
                  ? t('line.waitUnknown')
                  : available > 0
                    ? t('line.anyMoment')
                    : t('line.untilFree')
                : roughTime(estimatedWaitSeconds)}
          </dd>
        </div>
        <div>
          <dt>{t('line.seats')}</dt>
          <dd>
            {held > 0
              ? t('line.seatsFreeHeld', { count: available, held })
              : t('line.seatsFree', { count: available })}
          </dd>
        </div>
      </dl>
      {estimatedWaitSeconds === null && !paused && ahead > 0 && (
        <p>{available === 0 ? t('line.allHeld') : t('line.mayNotReach')}</p>
      )}
    </div>
  )
}
