import type { QueuePosition, Sale } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { count, roughTime } from '../texts.ts'
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
        <p class="faint">
          You can close this page: your place is kept on this device. Opening the page twice does not change
          your place.
        </p>
        <ConfirmButton
          label="Leave the line"
          question="Leave the line? Your place is lost."
          stay="Stay"
          go="Leave"
          disabled={page.line.busy.value}
          run={page.line.leave}
        />
      </section>
      <Hall page={page} title="What is free" />
    </div>
  )
}

function Early({ page, sale }: { page: Page; sale: Sale }) {
  return (
    <>
      <div>
        <h1 tabIndex={-1}>You’re in the line</h1>
        <p>All places are drawn when the sale opens. This page then shows yours.</p>
      </div>
      {page.time.secondsUntil(sale.opensAt) > 0 && (
        <Countdown page={page} to={sale.opensAt} label="The sale opens in" />
      )}
    </>
  )
}

function Place({ position }: { position: QueuePosition }) {
  const { state, position: number } = position
  if (state === 'ADMITTED' || number === null) return <h1 tabIndex={-1}>It is your turn. One moment…</h1>
  return (
    <h1 tabIndex={-1} class="place">
      <span>Your place in the line</span>
      <b>{number.toLocaleString()}</b>
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
          <dt>Ahead of you</dt>
          <dd>{ahead === 0 ? 'No one: you are next' : count(ahead, 'person', 'people')}</dd>
        </div>
        <div>
          <dt>Your wait</dt>
          <dd>
            {paused || sale.state === 'PAUSED'
              ? 'The line is paused for a moment'
              : estimatedWaitSeconds === null
                ? ahead > 0
                  ? 'Not known now'
                  : available > 0
                    ? 'Any moment'
                    : 'Until a seat becomes free'
                : roughTime(estimatedWaitSeconds)}
          </dd>
        </div>
        <div>
          <dt>Seats</dt>
          <dd>
            {count(available, 'seat')} free
            {held > 0 && `, ${held.toLocaleString()} held`}
          </dd>
        </div>
      </dl>
      {estimatedWaitSeconds === null && !paused && ahead > 0 && (
        <p>
          {available === 0
            ? 'Every seat is held by a fan who may still pay. Some seats may become free. You can wait: you lose nothing.'
            : 'There may not be enough seats for your place. You can wait: some fans ahead of you will not buy.'}
        </p>
      )}
    </div>
  )
}
