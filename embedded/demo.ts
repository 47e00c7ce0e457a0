import { readFile } from 'node:fs/promises'
import { createEvent } from '../clients/sdk/admin.ts'
import {
  type CreateEventInput,
  createFairgate,
  type EventPage,
  memorySession,
  sandboxToken,
} from '../clients/sdk/index.ts'
import type { Env } from '../src/env.ts'

const PLAN = new URL('../demo/sports-hall.json', import.meta.url)
export const DEMO_SLUG = 'demo'

export type DemoEvent = Pick<EventPage, 'name' | 'sale'>

/**
 * Returns the demo event of a running system. Creates it through the public API if it does not exist: a real hall,
 * whose line opens now and which goes on sale in a minute. Throws ApiError if the API refuses.
 */
export async function demoEvent({ port, host }: Env): Promise<DemoEvent> {
  const url = `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : host}:${port}`
  const session = memorySession()
  session.accountToken = await sandboxToken(url, 'demo-organizer', ['organizer'])
  const { client, sales } = createFairgate({ url, session })
  const found = await sales.page(DEMO_SLUG)
  if (found) return found
  await createEvent(client, newDemo(Date.now(), JSON.parse(await readFile(PLAN, 'utf8'))))
  const created = await sales.page(DEMO_SLUG)
  if (!created) throw new Error('The demo event is not there after its creation.')
  return created
}

function newDemo(now: number, seatingPlan: unknown): CreateEventInput {
  const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString()
  const evening = new Date(now + 60 * 86_400_000)
  evening.setUTCHours(18, 30, 0, 0)
  return {
    slug: DEMO_SLUG,
    name: 'Opening night',
    performers: ['The Early Birds', 'Fair Play'],
    startsAt: evening.toISOString(),
    timeZone: 'Europe/Berlin',
    venue: { name: 'Riethsporthalle', city: 'Erfurt', latitude: 50.9966, longitude: 11.0154 },
    seatingPlan,
    currency: 'EUR',
    prices: [
      { category: 'VIP', price: 11_900, fee: 900 },
      { category: 'Kategorie I', price: 5_900, fee: 500 },
      { category: 'Kategorie II', price: 3_900, fee: 350 },
    ],
    sale: {
      preQueueOpensAt: at(0),
      opensAt: at(60),
      // Calls 3,000 fans within about two minutes, as long as seats are left.
      admissionRate: 30,
      // Long enough to enter a card, and short enough that abandoned seats are free again while the crowd is still
      // there. With 120 s a crowd needed over three minutes for the last dozen of 1,231 seats.
      holdSeconds: 60,
    },
  }
}
