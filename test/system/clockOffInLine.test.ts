import { readFileSync } from 'node:fs'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { importKeys, type KeysFile } from '../../src/keys.ts'
import { apiProcesses, writeKeys } from '../support/apiProcess.ts'
import { type Json, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const start = await apiProcesses(db.url, redis.url)
const keysFile = await writeKeys()
const clockOff = new URL('../support/clockOff.ts', import.meta.url)
const preload = (hours: number) => `${clockOff.href}?hours=${hours}`

type Client = ReturnType<typeof testClient>

const clocks = [-1, 0, 1]
const apis = await Promise.all(
  clocks.map(async (hours) => {
    const { url, listeningSince } = await start({ keysFile, preload: preload(hours) })
    expect(Math.round((listeningSince.getTime() - Date.now()) / 3_600_000)).toBeCloseTo(hours)
    return testClient(url)
  }),
)
const [behind, right, ahead] = apis as [Client, Client, Client]

const PLACE = `queueToken state place position turnEndsAt estimatedWaitSeconds asOf admission { token expiresAt }`
const JOIN = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) {
  __typename ... on QueuePosition { ${PLACE} } ... on Refusal { retryAfterSeconds } } }`
const POSITION = `query ($token: String!) { queuePosition(queueToken: $token) { ${PLACE} } }`
const SALE = `query ($id: ID!) { event(id: $id) { sale { state } sections { availability { version asOf } } } }`

const dates = (answers: Json[], field: string) => answers.map((answer) => Date.parse(answer[field]))
const now = async () => (await db.sql('select now()'))[0]?.now.getTime() as number

async function expectNow(times: number[]) {
  const checkedAt = await now()
  for (const time of times) expect(Math.abs(time - checkedAt)).toBeLessThan(30_000)
}

test('a process whose clock is an hour wrong reports sale, place, turn and admission as every other process does', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 10 })
  const soon = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: 600,
    opensInSeconds: 1_800,
  })
  const inPreQueue = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 1_800,
  })
  const over = await insertEvent(db, { waitingRoom: true, opensInSeconds: -120, endsInSeconds: -60 })
  const goingOn = await insertEvent(db, { waitingRoom: true, endsInSeconds: 600 })
  const ana = { token: await right.token('ana'), device: 'phone' }
  for (const api of apis) {
    const states = await Promise.all(
      [event, soon, inPreQueue, over, goingOn].map(
        async ({ id }) =>
          (await api.ask(`query ($id: ID!) { event(id: $id) { sale { state } } }`, { id })).data.event.sale
            .state,
      ),
    )
    expect(states).toEqual(['ON_SALE', 'SCHEDULED', 'PRE_QUEUE', 'ENDED', 'ON_SALE'])
    const early = (await api.ask(JOIN, { id: soon.id }, ana)).data.joinQueue
    expect(early.__typename).toBe('QueueNotOpen')
    expect(early.retryAfterSeconds).toBeGreaterThan(500)
    expect(early.retryAfterSeconds).toBeLessThanOrEqual(600)
    expect((await api.ask(JOIN, { id: over.id }, ana)).data.joinQueue.__typename).toBe('SaleOver')
  }

  // One place, the same from every process.
  const joined = await Promise.all(
    apis.map(async (api) => (await api.ask(JOIN, { id: event.id }, ana)).data.joinQueue),
  )
  expect(new Set(joined.map(({ queueToken }) => queueToken)).size).toBe(1)
  await expectNow(dates(joined, 'asOf'))
  const { queueToken } = joined[0] as Json
  const ask = (api: Client, who: object = ana) => api.ask(POSITION, { token: queueToken }, who)
  await db.sql(
    'update rooms set admitted_up_to = 1, tick = tick + 1, ticked_at = now() where event_id = $1',
    [event.id],
  )
  await db.sql('insert into calls (event_id, tick, at, admitted_up_to, worked) values ($1, 1, now(), 1, 1)', [
    event.id,
  ])
  const inTurn = async (api: Client) => {
    // A request without the account does not take the turn.
    await expect
      .poll(async () => (await ask(api, { device: 'phone' })).data.queuePosition.turnEndsAt, {
        timeout: 5_000,
      })
      .not.toBeNull()
    return (await ask(api, { device: 'phone' })).data.queuePosition
  }
  const turns = await Promise.all(apis.map(inTurn))
  expect(new Set(turns.map(({ turnEndsAt }) => turnEndsAt)).size).toBe(1)
  expect(turns.map(({ state }) => state)).toEqual(['WAITING', 'WAITING', 'WAITING'])

  // One admission, valid on every process until it ends.
  const inside = await Promise.all(apis.map(async (api) => (await ask(api)).data.queuePosition))
  expect(new Set(inside.map(({ admission }) => JSON.stringify(admission))).size).toBe(1)
  const admission = inside[0].admission.token as string
  for (const api of apis) {
    const { data, errors } = await api.ask(SALE, { id: event.id }, { ...ana, admission })
    expect(errors).toBeUndefined()
    await expectNow(data.event.sections.map(({ availability }: Json) => Date.parse(availability.asOf)))
  }
  await db.sql("update admissions set expires_at = now() - interval '5 seconds' where event_id = $1", [
    event.id,
  ])
  for (const api of apis) expect((await ask(api)).data.queuePosition.state).toBe('LAPSED')
})

test('a lapsed turn has lapsed on every process', async () => {
  const event = await insertEvent(db, { waitingRoom: true, turnSeconds: 600 })
  const ana = { token: await right.token('bob'), device: 'phone' }
  const { queueToken } = (await behind.ask(JOIN, { id: event.id }, ana)).data.joinQueue
  await db.sql(
    'update rooms set admitted_up_to = 1, tick = tick + 1, ticked_at = now() where event_id = $1',
    [event.id],
  )
  await db.sql(
    `insert into calls (event_id, tick, at, admitted_up_to, worked)
     values ($1, 1, now() - interval '11 minutes', 1, 1)`,
    [event.id],
  )
  for (const api of apis) {
    await expect
      .poll(async () => (await api.ask(POSITION, { token: queueToken }, ana)).data.queuePosition.state, {
        timeout: 5_000,
      })
      .toBe('LAPSED')
  }
})

test('account tokens expire by the database’s clock: current ones are valid, expired ones are not', async () => {
  const { accounts } = await importKeys(JSON.parse(readFileSync(keysFile, 'utf8')) as KeysFile)
  const [{ kid, privateKey }] = accounts
  const who = `{ viewer { accountId } }`
  const issuedBy = async (api: Client) =>
    (await api.ask(who, {}, { token: await api.token('cid') })).data.viewer
  for (const issuer of apis) {
    expect(await issuedBy(issuer)).toEqual({ accountId: 'cid' })
    const token = await issuer.token('dot')
    for (const api of apis)
      expect((await api.ask(who, {}, { token })).data.viewer).toEqual({ accountId: 'dot' })
  }
  const [issuer, audience] = await claimsOf(await right.token())
  const sign = async (seconds: number) =>
    new SignJWT({ email: 'eve@example.org', email_verified: true })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt' })
      .setSubject('eve')
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(new Date((await now()) + seconds * 1_000))
      .sign(privateKey)
  for (const api of [behind, ahead, right]) {
    expect((await api.ask(who, {}, { token: await sign(60) })).data?.viewer).toEqual({ accountId: 'eve' })
    expect((await api.ask(who, {}, { token: await sign(-60) })).data?.viewer ?? null).toBeNull()
  }
})

async function claimsOf(token: string): Promise<[issuer: string, audience: string]> {
  const { iss, aud } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  return [iss, aud]
}
