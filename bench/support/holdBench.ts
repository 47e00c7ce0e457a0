import { makeKeys } from '../../src/keys.ts'
import { createDatabase, type Database } from '../../src/sql/database/database.ts'
import { insertEvent, type TestEvent, type TestSection } from '../../test/support/event.ts'
import { operation } from './load.ts'
import { type Served, startApi } from './processes.ts'
import { type Stores, startStores } from './stores.ts'

/** So many that each account makes only a few holds: the function counts the holds of an account at each hold. */
const ACCOUNTS = 5_000

const HOLD = `mutation Hold($input: HoldInput!) {
  hold(input: $input) {
    __typename
    ... on Hold { id state expiresAt asOf total { amount currency } items { seat { id } total { amount } } }
    ... on SeatsTaken { unavailable }
    ... on NotEnoughAvailable { available }
  }
}`

/** An event without effective limits, and an API that sells it. */
export interface HoldBench {
  readonly stores: Stores
  readonly db: Database
  readonly event: TestEvent
  readonly api: Served
  /** Account and idempotency key of the next hold. */
  nextCaller(): { accountId: string; key: string }
  /** The request of the next hold over GraphQL. */
  hold(selection: object): Buffer
  /** Sessions that any client has opened on the database so far. */
  sessions(): Promise<number>
  /** The share of HOT updates in all updates of seats: those that wrote to no index. */
  hotShare(): Promise<number>
  stop(): Promise<void>
}

export async function startHoldBench(sections: TestSection[]): Promise<HoldBench> {
  const stores = await startStores()
  const db = createDatabase(stores.databaseUrl)
  const event = await insertEvent(db, {
    sections,
    ticketLimit: 1_000_000,
    holdsPerMinute: 1_000_000,
    unpaidHolds: 1_000_000,
    holdSeconds: 3_600,
  })
  // Like autovacuum after the plan was loaded. The tables that holds fill are empty, as before the first sale.
  await db.pool.query('vacuum analyze seats')
  const api = await startApi(stores, await makeKeys())
  const tokens: string[] = []
  async function fetchToken(i: number) {
    const body = JSON.stringify({ account: `fan-${i}` })
    const given = await fetch(`${api.url}/dev/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { token } = (await given.json()) as { token: string }
    tokens[i] = token
    // A fan sends other requests before the first hold, so the API has already checked the token.
    await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ viewer { id } }"}',
    }).then((answer) => answer.text())
  }
  for (let i = 0; i < ACCOUNTS; i += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, n) => fetchToken(i + n)))
  }
  let calls = 0
  return {
    stores,
    db,
    event,
    api,
    nextCaller: () => ({ accountId: `fan-${calls++ % ACCOUNTS}`, key: `key-${calls}` }),
    hold(selection) {
      const authorization = `Bearer ${tokens[calls++ % ACCOUNTS]}`
      const input = { eventId: event.id, selection, idempotencyKey: `key-${calls}` }
      return operation(HOLD, { input }, { authorization, 'device-id': `phone-${calls % ACCOUNTS}` })
    },
    async sessions() {
      const { rows } = await db.pool.query(
        'select sessions from pg_stat_database where datname = current_database()',
      )
      return Number(rows[0].sessions)
    },
    async hotShare() {
      const { rows } = await db.pool.query(
        `select n_tup_hot_upd::float / n_tup_upd as share from pg_stat_user_tables where relname = 'seats'`,
      )
      return rows[0].share
    },
    async stop() {
      await db.close()
      await api.stop()
      await stores.stop()
    },
  }
}
