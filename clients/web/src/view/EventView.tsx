import type { Sale } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import { eventDate, when } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import { Countdown } from './Countdown.tsx'
import { Guilloche } from './Guilloche.tsx'
import { Prices } from './Prices.tsx'
import { SignIn } from './SignIn.tsx'
import { Waitlist } from './Waitlist.tsx'

/** The event, its prices and the state of its sale, for a fan who is not in the line or inside. */
export function EventView({ page }: { page: Page }) {
  const event = page.event.value
  const sale = page.sale.value
  if (!event || !sale) return null
  return (
    <>
      <section class="poster">
        {event.appearance?.imageUrl ? (
          <img src={event.appearance.imageUrl} alt="" referrerpolicy="no-referrer" fetchpriority="high" />
        ) : (
          <Guilloche text={event.slug} width={1200} height={420} />
        )}
        <div>
          {event.performers.length > 0 && <p class="performers">{formatter().list(event.performers)}</p>}
          <h1 tabIndex={-1} class={longestWord(event.name) > LONG_WORD ? 'long' : ''}>
            {dashesKept(event.name)}
          </h1>
          <p class="facts">
            <span>{eventDate(event.startsAt, event.timeZone)}</span>
            <span>
              {event.venue.name}
              {event.venue.city && `, ${event.venue.city}`}
            </span>
          </p>
        </div>
      </section>
      <div class="event">
        <section class="sheet status" aria-label={t('page.theSale')}>
          <SaleStatus page={page} sale={sale} />
          {(sale.state === 'SCHEDULED' || sale.state === 'PRE_QUEUE') && event.appearance?.presaleText && (
            <p class="presale" dir="auto">
              {event.appearance.presaleText}
            </p>
          )}
        </section>
        <div class="facing">
          <Prices page={page} title={t('page.prices')} />
          {event.appearance?.terms && (
            <details class="terms">
              <summary>{t('page.terms')}</summary>
              <p dir="auto">{event.appearance.terms}</p>
            </details>
          )}
        </div>
      </div>
    </>
  )
}

/** A longer word does not fit a phone at the size of a title. */
const LONG_WORD = 12

function longestWord(name: string): number {
  return Math.max(...name.split(/[\s-]+/).map((word) => [...word].length))
}

/** Keeps a dash on the line of the word before it, where both fit on a line. */
function dashesKept(name: string): string {
  return longestWord(name) > LONG_WORD ? name : name.replace(/ (?=[-–—] )/g, '\u00a0')
}

function SaleStatus({ page, sale }: { page: Page; sale: Sale }) {
  const tickets = page.purchase.tickets.value.length
  const queueState = page.line.position.value?.state
  switch (sale.state) {
    case 'SCHEDULED':
      return (
        <>
          <Countdown page={page} to={sale.preQueueOpensAt} label={t('page.lineOpensIn')} />
          <p>{t('page.onSaleLater', { when: when(sale.opensAt) })}</p>
        </>
      )
    case 'PRE_QUEUE':
      return (
        <>
          <Countdown page={page} to={sale.opensAt} label={t('page.saleOpensIn')} />
          <JoinButton page={page} label={t('page.joinLine')} />
          <p>
            {t('page.lineIsOpen')} {inLineText(sale)} <Odds sale={sale} />
          </p>
        </>
      )
    case 'ON_SALE':
      return (
        <>
          <h2>{t('page.onSaleNow')}</h2>
          {queueState === 'LAPSED' && (
            <p>
              <strong>{t('page.turnEndedWhat')}</strong> {t('page.turnEndedNext')}
            </p>
          )}
          <Availability sale={sale} />
          {tickets >= sale.ticketLimit ? (
            <p>{t('page.allTickets', { count: tickets })}</p>
          ) : (
            <JoinButton page={page} label={t(sale.waitingRoom ? 'page.joinLine' : chooseText(page))} />
          )}
        </>
      )
    case 'PAUSED':
      return (
        <>
          <h2>{t('page.paused')}</h2>
          <p>{t('page.pausedHint')}</p>
          {sale.waitingRoom && <JoinButton page={page} label={t('page.joinLine')} />}
        </>
      )
    case 'SOLD_OUT':
      return (
        <>
          <h2>{t('page.soldOut')}</h2>
          <p>{t('page.soldOutYours', { count: tickets })}</p>
          <Waitlist page={page} sale={sale} />
        </>
      )
    case 'ENDED':
      return (
        <>
          <h2>{t('page.ended')}</h2>
          <p>{t('page.endedHint')}</p>
          {!page.account.name.value && (
            <SignIn page={page} label={t('page.seeMyTickets')} then={() => undefined} />
          )}
        </>
      )
  }
}

/** Where every ticket is for a standing place, there are no seats to choose. */
function chooseText({ event }: Page) {
  const hasSeats = event.value?.sections.some(({ kind }) => kind === 'SEATED')
  return hasSeats ? 'page.chooseSeats' : 'page.chooseTickets'
}

function inLineText(sale: Sale): string {
  const count = sale.waitingRoom?.waiting ?? 0
  return count > 0 ? t('page.waiting', { count }) : ''
}

function Availability({ sale }: { sale: Sale }) {
  return (
    <p>
      {sale.available > 0
        ? t('page.seatsFree', { count: sale.available })
        : t('page.noneFree', { held: sale.held })}{' '}
      {inLineText(sale)} <Odds sale={sale} />
    </p>
  )
}

/** Whether the seats left are enough for the fans in the line, before a fan spends time in it. */
function Odds({ sale }: { sale: Sale }) {
  const { waiting = 0, enoughFor = 0 } = sale.waitingRoom ?? {}
  if (waiting === 0 || sale.available === 0) return null
  return (
    <>
      {enoughFor > waiting ? t('page.enoughForAll') : t('page.enoughForSome', { reach: enoughFor, waiting })}
    </>
  )
}

/** The button that joins the line, with the sign-in before it if needed. */
function JoinButton({ page, label }: { page: Page; label: string }) {
  const { account, line } = page
  const join = () => (page.sale.value?.waitingRoom ? line.join() : undefined)
  if (!account.name.value) return <SignIn page={page} label={label} then={join} />
  if (line.elsewhere.value) return <PlaceElsewhere page={page} />
  return (
    <>
      <button type="button" class="primary" disabled={line.busy.value} onClick={join}>
        {line.busy.value ? t('page.joining') : label}
      </button>
      {line.checking.value && (
        <p>
          <strong>{t('page.checking')}</strong> {t('page.checkingTakes')}
        </p>
      )}
    </>
  )
}

/** Joining would only repeat the refusal: the one useful step is to move the place. */
function PlaceElsewhere({ page: { line } }: { page: Page }) {
  return (
    <>
      <h3>{t('page.placeIsElsewhere')}</h3>
      <p>{t('page.oneDeviceHas')}</p>
      <button type="button" class="primary" disabled={line.busy.value} onClick={() => line.join(true)}>
        {line.busy.value ? t('page.joining') : t('page.moveHere')}
      </button>
    </>
  )
}
