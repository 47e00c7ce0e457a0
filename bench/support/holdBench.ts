import { makeKeys } from '../../src/keys.ts'
import { createDatabase, type Database } from '../../src/sql/database.ts'
import { insertEvent, type TestEvent, type TestSection } from '../../test/support/event.ts'
import { operation } from './load.ts'
import { type Served, startApi } from './processes.ts'
import { type Stores, startStores } from './stores.ts'

/** A few holds each, as accounts have: what they hold is counted at each hold. */
const ACCOUNTS = 5_000

const HOLD = `mutation Hold($input: HoldInput!) {
  hold(input: $input) {
    __typename
    ... on Hold { id state expiresAt asOf total { amount currency } items { seat { id } total { amount } } }
    ... on SeatsTaken { unavailable }
    ... on NotEnoughAvailable { available }
  }
}`

/** An event whose limits nobody meets, and an API that sells it. */
export interface HoldBench {
  readonly stores: Stores
  readonly db: Database
  readonly event: TestEvent
  readonly api: Served
  /** Account and key of the next call. */
  nextCaller(): { accountId: string; key: string }
  /** The next caller's hold over GraphQL. */
  hold(selection: object): Buffer
  /** Sessions that the database has begun until now, with whomever. */
  sessions(): Promise<number>
  /** Of all updates of seats, the share that wrote to no index. */
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
  // As autovacuum leaves a plan that was loaded; the tables that holds fill are new, as before a first sale.
  await db.pool.query('vacuum analyze seats')
  const api = await startApi(stores, await makeKeys())
  const tokens: string[] = []
  async function takeToken(i: number) {
    const body = JSON.stringify({ account: `fan-${i}` })
    const given = await fetch(`${api.url}/dev/token`, { method: 'POST', body })
    const { token } = (await given.json()) as { token: string }
    tokens[i] = token
    // Who comes to hold has asked for something before: its token is known.
    await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ viewer { id } }"}',
    }).then((answer) => answer.text())
  }
  for (let i = 0; i < ACCOUNTS; i += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, n) => takeToken(i + n)))
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
      return operation(HOLD, { input }, { authorization, 'device-id': 'phone' })
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
