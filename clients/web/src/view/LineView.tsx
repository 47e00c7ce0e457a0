import type { QueuePosition, Sale } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { CallMeButton } from './CallMeButton.tsx'
import { ConfirmButton } from './ConfirmButton.tsx'
import { Countdown } from './Countdown.tsx'
import { Draw } from './Draw.tsx'
import { Hall } from './Hall.tsx'
import { LineGraphic } from './LineGraphic.tsx'
import { Outlook } from './Outlook.tsx'
import { Prices } from './Prices.tsx'

/** The place in the line, live, the wait, and what is left by price. */
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
            <Place page={page} position={position} sale={sale} />
            <Outlook position={position} sale={sale} />
          </>
        )}
        <LineGraphic position={position} waiting={sale.waitingRoom?.waiting ?? 0} />
        <CallMeButton callMe={page.line.callMe} />
        <div class="keep">
          <p class="faint">{t('line.mayClose')}</p>
          <ConfirmButton
            label={t('line.leave')}
            question={t('line.leaveQuestion')}
            stay={t('line.stay')}
            go={t('line.leaveNow')}
            disabled={page.line.busy.value}
            run={page.line.leave}
          />
        </div>
      </section>
      <div class="beside">
        {!early && <Prices page={page} title={t('line.seatsByPrice')} />}
        <Draw page={page} position={position} />
      </div>
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

/** The moment of the draw is shown once, on a page that was open: the number is dealt like a card. */
function Place({ page, position, sale }: { page: Page; position: QueuePosition; sale: Sale }) {
  const { state, position: number, place } = position
  if (state === 'ADMITTED' || number === null) return <h1 tabIndex={-1}>{t('line.yourTurn')}</h1>
  const drawn = page.line.justDrawn.value
  const size = sale.waitingRoom?.draw.size ?? null
  // Once the line has moved, the number is no longer the drawn one.
  const wasDrawn = drawn && size !== null && place === number && place <= size
  return (
    <h1 tabIndex={-1} class={drawn ? 'place drawn' : 'place'}>
      <span>{wasDrawn ? t('line.justDrawn') : t('line.yourPlace')}</span>
      <b>{formatter().number(number)}</b>
      {wasDrawn && <span class="of">{t('line.ofDrawn', { size })}</span>}
    </h1>
  )
}
