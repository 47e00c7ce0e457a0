import { readFile } from 'node:fs/promises'
import { createEvent } from '../sdk/admin.ts'
import { createFairgate, type EventPage, type Fairgate, memorySession, sandboxToken } from '../sdk/index.ts'
import type { Options } from './options.ts'

const PLAN = new URL('../../demo/sports-hall.json', import.meta.url)
const DEMO = 'demo'
/** More seats than the hall has. */
const NO_LIMIT = 100_000

/** The surge cannot start; the message says why in one or two sentences. */
export class SurgeError extends Error {}

/** A client with the roles to create an event and to reconcile its sale. */
export async function adminClient(url: string): Promise<Fairgate> {
  const session = memorySession()
  session.accountToken = await sandboxToken(url, 'surge-staff', ['organizer', 'ops'])
  return createFairgate({ url, session })
}

/**
 * Returns the event for the crowd: the one that --slug names, the demo, or a new one if the demo is over.
 *
 * Throws SurgeError if the named event is missing or its sale is over.
 */
export async function chooseEvent(fairgate: Fairgate, { slug }: Options): Promise<EventPage> {
  const event = await fairgate.sales.page(slug ?? DEMO)
  if (slug !== null) {
    if (!event) throw new SurgeError(`--slug ${slug}: there is no such event.`)
    if (isOver(event)) {
      throw new SurgeError(
        `--slug ${slug}: that sale is ${event.sale.state === 'ENDED' ? 'over' : 'sold out'}. Leave --slug out to ` +
          'create a new event, or start over with: npm start -- --reset',
      )
    }
    return event
  }
  return event && !isOver(event) ? event : rehearsal(fairgate)
}

function isOver({ sale }: EventPage): boolean {
  return sale.state === 'SOLD_OUT' || sale.state === 'ENDED'
}

/** Creates an event with the demo's hall for a run with hoarders, with or without limits on one address or device. */
export async function hoardedEvent({ sales, client }: Fairgate, limited: boolean): Promise<EventPage> {
  const slug = `hoarded-${Date.now().toString(36)}-${limited ? 'limited' : 'free'}`
  const event = newEvent(slug, 1, JSON.parse(await readFile(PLAN, 'utf8')))
  const sale = limited ? event.sale : { ...event.sale, heldPerAddress: NO_LIMIT, heldPerDevice: NO_LIMIT }
  await createEvent(client, { ...event, sale })
  const page = await sales.page(slug)
  if (!page) throw new SurgeError(`The event ${slug} was created and is not there.`)
  return page
}

/** Creates an event with the demo's hall, or returns an earlier one that is not sold out. */
async function rehearsal({ sales, client }: Fairgate): Promise<EventPage> {
  for (let number = 1; ; number++) {
    const slug = `rehearsal-${number}`
    const known = await sales.page(slug)
    if (known && !isOver(known)) return known
    if (known) continue
    await createEvent(client, newEvent(slug, number, JSON.parse(await readFile(PLAN, 'utf8'))))
    const event = await sales.page(slug)
    if (event) return event
  }
}

function newEvent(slug: string, number: number, seatingPlan: unknown) {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  return {
    slug,
    name: `Rehearsal ${number}`,
    startsAt: at(60 * 86_400),
    timeZone: 'Europe/Berlin',
    venue: { name: 'Riethsporthalle', city: 'Erfurt' },
    seatingPlan,
    currency: 'EUR',
    prices: [
      { category: 'VIP', price: 11_900, fee: 900 },
      { category: 'Kategorie I', price: 5_900, fee: 500 },
      { category: 'Kategorie II', price: 3_900, fee: 350 },
    ],
    sale: { preQueueOpensAt: at(0), opensAt: at(20), admissionRate: 30, holdSeconds: 120 },
  }
}
