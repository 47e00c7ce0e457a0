import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createEvent } from '../../clients/sdk/admin.ts'
import {
  type CreateEventInput,
  createFairgate,
  type EventPage,
  memorySession,
  sandboxToken,
} from '../../clients/sdk/index.ts'
import { stadium } from '../../test/support/stadium.ts'

const HALL = new URL('../../demo/sports-hall.json', import.meta.url)
const HALL_PRICES = [
  { category: 'VIP', price: 12_800 },
  { category: 'Kategorie I', price: 6_400 },
  { category: 'Kategorie II', price: 4_550 },
]
const BOWL_COLORS = ['#8E44AD', '#E87722', '#1D3557']

export const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()

/** What differs from an event whose sale is open. */
type Change = Omit<Partial<CreateEventInput>, 'sale'> & { sale?: Partial<CreateEventInput['sale']> }

/** Creates sales on a running Fairgate with the sandbox, through its public API. */
export async function organizer(url: string) {
  const token = await sandboxToken(url, `organizer-${randomUUID()}`, ['organizer', 'ops'])
  const mine = fan(url, token)

  async function sell(input: Change): Promise<EventPage> {
    const { slug } = await createEvent(mine.client, {
      name: 'Opening night',
      performers: ['The Early Birds', 'Fair Play'],
      startsAt: at(60 * 86_400),
      timeZone: 'Europe/Berlin',
      venue: { name: 'Riethsporthalle', city: 'Erfurt' },
      currency: 'EUR',
      prices: [],
      ...input,
      slug: `screens-${randomUUID()}`,
      sale: { preQueueOpensAt: at(-120), opensAt: at(-60), ...input.sale },
    })
    const event = await mine.sales.page(slug)
    if (!event) throw new Error(`The event ${slug} is not there after its creation.`)
    return event
  }

  const bowl = stadium()
  return {
    /** The hall of the demo. */
    hall: async (input: Change = {}) =>
      sell({ seatingPlan: JSON.parse(await readFile(HALL, 'utf8')), prices: HALL_PRICES, ...input }),
    /** A stadium of 50,000 seats. */
    stadium: () =>
      sell({
        name: 'Cup final',
        venue: { name: 'Stadium', city: 'Erfurt' },
        seatingPlan: {
          ...bowl,
          categories: bowl.categories.map((one, i) => ({ ...one, color: BOWL_COLORS[i] })),
        },
        prices: [
          { category: 'Lower', price: 12_800 },
          { category: 'Middle', price: 6_400 },
          { category: 'Upper', price: 4_550 },
        ],
        sale: { waitingRoom: false },
      }),
    /** A floor without seats. */
    floor: (capacity: number, input: Change = {}) =>
      sell({
        generalAdmission: [{ key: 'floor', name: 'Floor', capacity }],
        prices: [{ category: 'floor', price: 3_000 }],
        ...input,
      }),
    /** Sends a mutation whose variable is `input`. */
    async change(mutation: string, type: string, input: object): Promise<void> {
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({
          query: `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`,
          variables: { input },
        }),
      })
      const { errors } = await answer.json()
      if (errors) throw new Error(`${mutation}: ${JSON.stringify(errors)}`)
    },
  }
}

export type Organizer = Awaited<ReturnType<typeof organizer>>

/** A fan who uses the API. */
export async function apiFan(url: string, account = `fan-${randomUUID()}`) {
  return fan(url, await sandboxToken(url, account))
}

function fan(url: string, token: string) {
  const session = memorySession()
  session.accountToken = token
  return createFairgate({ url, session })
}
