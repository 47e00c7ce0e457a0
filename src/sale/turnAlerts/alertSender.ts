import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import { inBackground } from '../../async/background.ts'
import { type Mailer, MailRefused, wasNotTaken } from '../../mail.ts'
import type { Push, PushOutcome } from '../../push/push.ts'
import type { Database } from '../../sql/database/database.ts'
import { findAdmittedPlaces } from '../../sql/room/admissions.ts'
import {
  endAlert,
  giveAlertBack,
  scheduleAlerts,
  type TakenAlert,
  takeAlerts,
} from '../../sql/room/alertMessages.ts'
import {
  eraseAlert,
  eraseEventAlerts,
  placeAlerts,
  readEventsWithAlerts,
  readUnplacedAlerts,
} from '../../sql/room/turnAlerts.ts'
import type { Catalogue, CatalogueEvent } from '../catalogue/catalogue.ts'
import { DEFAULT_LOCALE, localeOf } from '../languages.ts'
import { alertLetter, alertNotice } from '../letters/alertLetter.ts'
import { mailOf } from '../letters/letters.ts'
import { placeOf, type Room } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'
import { lastPlaceWithin } from '../waitingRoom/position.ts'
import { SOON_SECONDS } from './turnAlerts.ts'

/** Sends the alerts that fans in the line requested. The rows drive it: any number of processes may do so at any time. */
export interface AlertSender {
  /** The events with alerts. */
  events(): Promise<string[]>
  /**
   * Sends the messages of an event that are due, each at most once. A message is committed as taken before it is sent. So after a
   * kill in between it is lost, and a fan is not called twice. A message that was certainly not taken by the mail server or the
   * push service is sent again, later and later, while it has a use.
   *
   * Erases the alerts of places and events that are over. Throws where a database is away.
   */
  send(eventId: string): Promise<void>
}

export interface AlertSenderDeps {
  db: Database
  roomDb: Database
  sales: Pick<Sales, 'find'>
  rooms: Pick<Rooms, 'room'>
  catalogue: Pick<Catalogue, 'event'>
  mailer: Mailer
  push: Push
  publicUrl: string
  log: Logger
}

/** Rows in one statement. */
const BATCH = 1_000
/** Messages of an event under way at once in one process: as many are lost, at most, where it is killed. */
const AT_ONCE = 32
/** Messages of an event in one round, a second: where a push service is down, each of them costs two statements for nothing. */
const MOST_IN_ROUND = 500
const LONGEST_WAIT_SECONDS = 600
/** Past every arrival: without a waiting room each place has its turn. */
const EVERY_PLACE = 2_147_483_647

export function createAlertSender(deps: AlertSenderDeps): AlertSender {
  const { db, roomDb, sales, rooms, catalogue, mailer, push, publicUrl, log } = deps

  async function placeNew(eventId: string, toPlace: (arrival: number) => number | null): Promise<void> {
    for (;;) {
      const arrivals = await readUnplacedAlerts(roomDb, eventId, BATCH)
      const places = arrivals.map(toPlace)
      if (arrivals.length === 0 || places.includes(null)) return
      await placeAlerts(roomDb, eventId, arrivals, places as number[])
      if (arrivals.length < BATCH) return
    }
  }

  async function eraseAll(eventId: string): Promise<void> {
    while ((await eraseEventAlerts(roomDb, eventId, BATCH)) === BATCH);
  }

  async function sendMail(
    alert: TakenAlert,
    event: CatalogueEvent,
    turnSeconds: number,
  ): Promise<PushOutcome> {
    const { eventId, arrival, sending, locale: tag, email } = alert
    const locale = localeOf(tag) ?? DEFAULT_LOCALE
    const letter = alertLetter({ moment: sending, event, locale, turnSeconds }, publicUrl)
    try {
      const id = `${eventId}.${arrival}.${sending.toLowerCase()}`
      await mailer.send({ ...mailOf(email as string, letter, locale), id })
      return { state: 'sent' }
    } catch (error) {
      const reason = (error as Error).name
      if (error instanceof MailRefused) return { state: 'refused', reason }
      return { state: wasNotTaken(error) ? 'failed' : 'unknown', reason }
    }
  }

  function sendPush(alert: TakenAlert, event: CatalogueEvent, turnSeconds: number): Promise<PushOutcome> {
    const { eventId, arrival, sending, locale: tag, usefulSeconds } = alert
    const locale = localeOf(tag) ?? DEFAULT_LOCALE
    const notice = alertNotice({ moment: sending, event, locale, turnSeconds })
    return push.send(alert.push as NonNullable<TakenAlert['push']>, {
      // The page shows its own notification under the same tag, so that the fan sees one of them.
      payload: JSON.stringify({ ...notice, url: `/e/${event.slug}`, tag: `fairgate.${event.slug}.callMe` }),
      topic: hash('sha256', `${eventId}\n${arrival}`, 'base64url').slice(0, 32),
      ttlSeconds: Math.max(1, Math.floor(usefulSeconds)),
    })
  }

  async function deliver(
    alert: TakenAlert,
    event: CatalogueEvent | null,
    turnSeconds: number,
    isIn: boolean,
  ) {
    if (!event || isIn) return eraseAlert(roomDb, alert)
    if (alert.usefulSeconds <= 0) return endAlert(roomDb, alert)
    const { state, reason, retryAfterSeconds } = alert.push
      ? await sendPush(alert, event, turnSeconds)
      : await sendMail(alert, event, turnSeconds)
    if (reason)
      log.warn(
        { err: new Error(reason), channel: alert.push ? 'push' : 'mail', state },
        'an alert was not sent',
      )
    if (state === 'gone' || state === 'refused') return eraseAlert(roomDb, alert)
    const later = state === 'failed' && (await giveAlertBack(roomDb, alert, waitOf(alert, retryAfterSeconds)))
    if (!later) await endAlert(roomDb, alert)
  }

  /** The places of called fans who have taken the turn already: they are on the page. */
  async function placesInside(eventId: string, taken: readonly TakenAlert[]): Promise<ReadonlySet<number>> {
    const called = taken.filter(({ sending }) => sending === 'TURN').map(({ place }) => place)
    return called.length === 0 ? new Set() : new Set(await findAdmittedPlaces(db, eventId, called))
  }

  async function sendDue({ eventId, turnSeconds }: SaleView): Promise<void> {
    const underWay = new Set<Promise<void>>()
    for (let sent = 0; sent < MOST_IN_ROUND; ) {
      const taken = await takeAlerts(roomDb, eventId, AT_ONCE - underWay.size)
      if (taken.length === 0) break
      sent += taken.length
      const event = await catalogue.event(eventId)
      const inside = await placesInside(eventId, taken)
      for (const alert of taken) {
        const sending = deliver(alert, event, turnSeconds, inside.has(alert.place))
          // The row stays taken, so the message is not sent again.
          .catch((error) => log.warn({ err: error }, 'the end of an alert is not written'))
          .finally(() => underWay.delete(sending))
        underWay.add(sending)
      }
      if (underWay.size === AT_ONCE) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  }

  async function send(eventId: string): Promise<void> {
    const sale = await sales.find(eventId)
    if (!sale || sale.state === 'ENDED') return eraseAll(eventId)
    const room = await rooms.room(eventId)
    const due = dueOf(sale, room)
    if (!room || !due) return
    await placeNew(eventId, (arrival) => (sale.waitingRoom ? placeOf(room, arrival) : arrival))
    while ((await scheduleAlerts(roomDb, eventId, due, BATCH)) >= BATCH);
    await sendDue(sale)
  }

  return {
    events: () => readEventsWithAlerts(roomDb),
    send: (eventId) => inBackground(() => send(eventId)),
  }
}

/** The places whose moments have come; null while none can come. */
function dueOf(sale: SaleView, room: Room | null) {
  const { state, turnSeconds } = sale
  if (state !== 'ON_SALE' && state !== 'PAUSED') return null
  if (!sale.waitingRoom) return { soonUpTo: EVERY_PLACE, turnUpTo: EVERY_PLACE, turnSeconds }
  if (!room?.places) return null
  return { soonUpTo: lastPlaceWithin(sale, room, SOON_SECONDS), turnUpTo: room.admittedUpTo, turnSeconds }
}

/** Each wait is twice as long, and up to half longer for jitter; or as long as the push service demands. */
function waitOf({ attempts }: TakenAlert, retryAfterSeconds = 2 ** Math.min(attempts, 10)): number {
  const seconds = Math.min(LONGEST_WAIT_SECONDS, Math.max(1, retryAfterSeconds))
  return seconds * (1 + Math.random() / 2)
}
