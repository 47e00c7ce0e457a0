import { readFile } from 'node:fs/promises'
import type { Env } from '../src/env.ts'

const PLAN = new URL('../demo/sports-hall.json', import.meta.url)
export const DEMO_SLUG = 'demo'

export interface DemoEvent {
  readonly name: string
  readonly sale: { readonly state: string; readonly opensAt: string; readonly available: number }
}

const FIND = `query ($slug: String!) { eventBySlug(slug: $slug) { name sale { state opensAt available } } }`
const CREATE = `mutation ($input: CreateEventInput!) {
  createEvent(input: $input) { name sale { state opensAt available } }
}`

/**
 * Returns the demo event of a running system. Creates it through the public API if it does not exist: a real hall,
 * whose line opens now and which goes on sale in a minute. Throws an Error if the API refuses.
 */
export async function demoEvent({ port, host }: Env): Promise<DemoEvent> {
  const url = `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : host}:${port}`
  const token = await devToken(url)
  const { eventBySlug } = await graphql<{ eventBySlug: DemoEvent | null }>(url, token, FIND, {
    slug: DEMO_SLUG,
  })
  if (eventBySlug) return eventBySlug
  const { createEvent } = await graphql<{ createEvent: DemoEvent }>(url, token, CREATE, {
    input: newDemo(Date.now(), JSON.parse(await readFile(PLAN, 'utf8'))),
  })
  return createEvent
}

function newDemo(now: number, seatingPlan: unknown) {
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

async function devToken(url: string): Promise<string> {
  const response = await fetch(`${url}/dev/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account: 'demo-organizer', roles: ['organizer'], emailVerified: true }),
  })
  if (!response.ok)
    throw new Error(`POST ${url}/dev/token returned ${response.status}: ${await response.text()}`)
  const { token } = (await response.json()) as { token: string }
  return token
}

async function graphql<Data>(url: string, token: string, query: string, variables: object): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data?: Data; errors?: object[] }
  if (!data || errors) throw new Error(`The API returned ${response.status}: ${JSON.stringify(errors)}`)
  return data
}
