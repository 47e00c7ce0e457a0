import { Agent, request } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { accountDigest } from '../../src/sale/tokens/digests.ts'
import { createIdentities } from '../../src/server/auth/identity.ts'
import { createServer } from '../../src/server/index.ts'
import { testApps } from '../support/apps.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { sideBySide } from '../support/holds.ts'
import { LONG } from '../support/long.ts'
import { lossyProxy } from '../support/lossyProxy.ts'
import { seededRandom } from '../support/random.ts'
import { testRedis } from '../support/redis.ts'
import type { Json } from '../support/server.ts'

const FANS = LONG ? 3_000 : 800

const db = await testDatabase()
const roomDb = await testDatabase()
const startApp = await testApps({
  databaseUrl: db.url,
  redisUrl: (await testRedis()).url,
  roomDatabaseUrl: roomDb.url,
  roomRedisUrl: (await testRedis()).url,
})
const apps = await Promise.all(Array.from({ length: 3 }, () => startApp()))
const urls: string[] = []
for (const app of apps) {
  const server = createServer({ ...app, env: { ...app.env, port: 0 } })
  urls.push((await server.listen()).url)
  afterAll(() => server.close(1_000))
}
const lossy = await lossyProxy(urls[0] as string)
lossy.loseReplies()

const agent = new Agent({ keepAlive: true, maxSockets: 100 })
afterAll(() => agent.destroy())

const JOIN = `mutation ($eventId: ID!) { joinQueue(input: { eventId: $eventId }) {
  __typename ... on QueuePosition { state arrival queueToken } } }`

function post(url: string, eventId: string, headers: Record<string, string>): Promise<Json> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/graphql`, { method: 'POST', agent, headers }, async (response) => {
      try {
        resolve(JSON.parse((await response.setEncoding('utf8').toArray()).join('')))
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ query: JOIN, variables: { eventId } }))
  })
}

test(`${FANS} fans join at once over three servers, some twice, some without receiving the answer: each has one place, as in the journal`, async () => {
  const random = seededRandom()
  const event = await insertEvent(
    db,
    { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 },
    roomDb,
  )
  const identities = createIdentities(apps[0] as (typeof apps)[0])
  const fans = await sideBySide(FANS, 50, async (i) => ({
    account: `fan-${i}`,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await identities.issue({
        account: `fan-${i}`,
        email: `fan-${i}@example.com`,
        emailVerified: true,
        roles: [],
      })}`,
      'device-id': `device-of-fan-${i}-0123456789`,
      // Each from their own address, through our proxy.
      'x-forwarded-for': `10.0.${i >> 8}.${i & 255}`,
    },
  }))
  const somewhere = () => urls[Math.floor(random() * urls.length)] as string
  let lost = 0

  /** Retries until there is an answer, as clients do. */
  async function join({ headers }: (typeof fans)[0], first: string): Promise<number> {
    for (let url = first; ; url = somewhere()) {
      try {
        const { data, errors } = await post(url, event.id, headers)
        expect(errors).toBeUndefined()
        expect(data.joinQueue).toMatchObject({ __typename: 'QueuePosition', state: 'PRE_QUEUE' })
        return data.joinQueue.arrival
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
        lost++
      }
    }
  }

  const answers = await Promise.all(
    fans.map(async (fan) => {
      const dice = random()
      const calls = [join(fan, dice < 0.15 ? lossy.url : somewhere())]
      if (dice > 0.8) calls.push(join(fan, somewhere()))
      const arrivals = await Promise.all(calls)
      expect(new Set(arrivals).size).toBe(1)
      return arrivals[0] as number
    }),
  )
  expect(lost).toBeGreaterThan(FANS / 10)

  const rows = await roomDb.sql<{ arrival: number; account: Buffer; whole: boolean }>(
    `select arrival, account, changed_at is null and left_at is null as whole
     from places where event_id = $1 order by arrival`,
    [event.id],
  )
  expect(rows.map(({ arrival }) => arrival)).toEqual(Array.from({ length: FANS }, (_, i) => i + 1))
  expect(rows.every(({ whole }) => whole)).toBe(true)
  fans.forEach(({ account }, i) => {
    expect(rows[(answers[i] as number) - 1]?.account).toEqual(accountDigest(event.id, account))
  })
  expect(await db.sql('select from places')).toEqual([])
})
