import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { createEvent } from '../../clients/sdk/admin.ts'
import {
  type CreateEventInput,
  createFairgate,
  memorySession,
  sandboxToken,
} from '../../clients/sdk/index.ts'
import type { Role } from '../../clients/sdk/sandbox.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { endSale } from './event.ts'

const HALL = JSON.parse(await readFile(new URL('../../demo/sports-hall.json', import.meta.url), 'utf8'))
const PRICES: Readonly<Record<string, number>> = { VIP: 12_800, 'Kategorie I': 6_400, 'Kategorie II': 4_550 }
const DAYS = 86_400

export const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()

export interface HallSaleOptions extends Omit<Partial<CreateEventInput>, 'sale' | 'prices' | 'seatingPlan'> {
  /** Default: the hall of the demo. Null: no seats. */
  seatingPlan?: { categories: { name: string }[] } | null
  /** Of every seat; default: one for each category. */
  price?: number
  /** Places of an area without seats, beside the hall; its price is 3,000. */
  standing?: number
  /** What differs from a sale that is open for a minute. */
  sale?: Partial<CreateEventInput['sale']>
}

/** The fans and the sales of an API with the sandbox, for tests of the page. They end with the test. */
export function hallSales({ url, db }: { url: string; db: Database }) {
  async function client(account = `api-${randomUUID()}`, roles: Role[] = []) {
    const session = memorySession()
    session.accountToken = await sandboxToken(url, account, roles)
    const fairgate = createFairgate({ url, session })
    onTestFinished(() => fairgate.close())
    return fairgate
  }

  async function onSale({ seatingPlan = HALL, price, standing = 0, sale, ...input }: HallSaleOptions = {}) {
    const organizer = await client('organizer', ['organizer', 'ops'])
    const { slug } = await createEvent(organizer.client, {
      slug: `hall-${randomUUID()}`,
      name: 'Opening night',
      performers: ['The Early Birds'],
      startsAt: at(30 * DAYS),
      timeZone: 'Europe/Berlin',
      venue: { name: 'Riethsporthalle', city: 'Erfurt' },
      seatingPlan,
      generalAdmission: standing ? [{ key: 'floor', name: 'Floor', capacity: standing }] : [],
      currency: 'EUR',
      prices: [
        ...(seatingPlan?.categories ?? []).map(({ name }, i) => ({
          category: name,
          price: price ?? PRICES[name] ?? 4_000 + 1_000 * i,
        })),
        ...(standing ? [{ category: 'floor', price: 3_000 }] : []),
      ],
      ...input,
      sale: { preQueueOpensAt: at(-120), opensAt: at(-60), ...sale },
    })
    const event = await organizer.sales.page(slug)
    if (!event) throw new Error('the event is not there')
    // The pacer would tick for a sale that stays open, beside the tests after it.
    onTestFinished(() => endSale(db, event.id))
    return { event, organizer, url: `${url}/e/${slug}` }
  }

  return { client, onSale }
}
