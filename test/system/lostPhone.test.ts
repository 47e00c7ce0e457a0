import { expect, test } from 'vitest'
import { apiProcesses } from '../support/apiProcess.ts'
import { type Json, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const start = await apiProcesses(db.url, redis.url)
const apis = await Promise.all([start(), start()])
const [first, second] = apis.map(({ url }) => testClient(url)) as [Client, Client]

type Client = ReturnType<typeof testClient>

const PLACE = `... on QueuePosition { queueToken arrival state place admission { token } }`
const JOIN = `mutation ($input: JoinQueueInput!) { joinQueue(input: $input) { __typename ${PLACE} } }`
const POSITION = `query ($token: String!) { queuePosition(queueToken: $token) { ${PLACE} } }`
const MINE = `query ($id: ID!) { viewer { queuePosition(eventId: $id) { ${PLACE} } } }`
const MAP = `query ($id: ID!) { event(id: $id) { sections { availability { version } } } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }`
const RELEASE = `mutation ($id: ID!) { releaseHold(input: { holdId: $id }) { __typename ... on Hold { state } } }`
const FOLLOW = `subscription ($token: String!) { queuePosition(queueToken: $token) { state } }`
const FOLLOW_MAP = `subscription ($id: ID!, $section: ID!) {
  seatSection(eventId: $id, sectionId: $section) { version } }`

const WITHIN = { timeout: 10_000, interval: 50 }

let named = 0

async function newFan() {
  const account = `ana ${++named}`
  const token = await first.token(account)
  return {
    phone: { token, device: `phone of ${account}` },
    laptop: { token, device: `laptop of ${account}` },
  }
}

const openRoom = () => insertEvent(db, { waitingRoom: true, rate: 1_000 })

async function join(
  api: Client,
  { id }: TestEvent,
  who: { token: string; device: string },
  moveHere = false,
) {
  return (await api.ask(JOIN, { input: { eventId: id, moveHere } }, who)).data.joinQueue
}

/** Calls every fan who has joined. */
async function callAll({ id }: TestEvent) {
  await db.sql('update rooms set admitted_up_to = 100, tick = tick + 1 where event_id = $1', [id])
  await db.sql(
    'insert into calls (event_id, tick, at, admitted_up_to, worked) values ($1, 1, now(), 100, 1)',
    [id],
  )
}

/** The messages that a socket has received, then the way in which it ended. */
function follow(api: Client, who: object, query: string, variables: Record<string, unknown>) {
  const heard: Json[] = []
  let ended: Json
  api.socket(who).subscribe(
    { query, variables },
    {
      next: (message) => void heard.push(message),
      error: (error) => {
        ended = Array.isArray(error) ? error[0] : error
      },
      complete: () => {
        ended ??= heard.at(-1)?.errors?.[0] ?? 'complete'
      },
    },
  )
  return { heard, ended: () => ended?.extensions?.code ?? ended }
}

const codeOf = async (answer: Promise<{ errors?: Json[] }>) =>
  (await answer).errors?.[0]?.extensions.code ?? 'good'

test('a phone lost in the line: its token is invalid on every process and socket within seconds', async () => {
  const event = await openRoom()
  const { phone, laptop } = await newFan()
  const before = await join(first, event, phone)
  const credentials = { authorization: `Bearer ${phone.token}`, deviceId: phone.device }
  const sockets = [first, second].map((api) => follow(api, credentials, FOLLOW, { token: before.queueToken }))
  for (const { heard } of sockets)
    await expect.poll(() => heard.length, { timeout: 5_000 }).toBeGreaterThan(0)
  expect(await join(second, event, laptop)).toEqual({ __typename: 'PlaceOnOtherDevice' })

  const moved = await join(second, event, laptop, true)
  expect(moved).toMatchObject({ state: 'WAITING', arrival: before.arrival, place: before.place })
  for (const api of [first, second]) {
    await expect
      .poll(() => codeOf(api.ask(POSITION, { token: before.queueToken }, phone)), WITHIN)
      .toBe('QUEUE_TOKEN_INVALID')
  }
  for (const { ended } of sockets) await expect.poll(ended, WITHIN).toBe('QUEUE_TOKEN_INVALID')
  for (const api of [first, second]) {
    expect(await codeOf(api.ask(POSITION, { token: moved.queueToken }, laptop))).toBe('good')
    // The finder of the phone may be signed in there, but takes nothing without a join.
    expect(await join(api, event, phone)).toEqual({ __typename: 'PlaceOnOtherDevice' })
  }
})

test('a phone lost inside the sale: place and admission move to the other device, and the phone can no longer see or hold seats', async () => {
  const event = await openRoom()
  const { phone, laptop } = await newFan()
  const { queueToken } = await join(first, event, phone)
  await callAll(event)
  let place: Json
  await expect
    .poll(
      async () => (place = (await first.ask(POSITION, { token: queueToken }, phone)).data?.queuePosition),
      {
        timeout: 5_000,
      },
    )
    .toMatchObject({ state: 'ADMITTED' })
  const lost = { ...phone, admission: place.admission.token as string }
  const selection = (seatNo: number) => ({ seats: [event.seatId(seatNo)] })
  const hold = (who: typeof lost, api: Client, seatNo: number, idempotencyKey: string) =>
    api.ask(HOLD, { input: { eventId: event.id, selection: selection(seatNo), idempotencyKey } }, who)
  const answer = await hold(lost, second, 1, 'before')
  expect(answer.errors).toBeUndefined()
  const held = answer.data.hold
  expect(held.__typename).toBe('Hold')
  const credentials = {
    authorization: `Bearer ${phone.token}`,
    deviceId: phone.device,
    admissionToken: lost.admission,
  }
  const sockets = [first, second].map((api) =>
    follow(api, credentials, FOLLOW_MAP, { id: event.id, section: event.sectionId(1) }),
  )
  for (const { heard } of sockets) {
    await expect.poll(() => heard[0]?.data?.seatSection, { timeout: 5_000 }).toBeTruthy()
  }

  const moved = await join(first, event, laptop, true)
  expect(moved).toMatchObject({ state: 'ADMITTED' })
  const found = { ...laptop, admission: moved.admission.token as string }
  // The row decides about holds, at once and on every process.
  expect((await hold(lost, second, 2, 'after')).data.hold.__typename).toBe('AdmissionRequired')
  for (const api of [first, second]) {
    await expect.poll(() => codeOf(api.ask(MAP, { id: event.id }, lost)), WITHIN).toBe('ADMISSION_REQUIRED')
    await expect
      .poll(() => codeOf(api.ask(POSITION, { token: queueToken }, phone)), WITHIN)
      .toBe('QUEUE_TOKEN_INVALID')
  }
  for (const { ended } of sockets) await expect.poll(ended, WITHIN).toBe('ADMISSION_REQUIRED')
  for (const [i, api] of [first, second].entries()) {
    expect(await codeOf(api.ask(MAP, { id: event.id }, found))).toBe('good')
    expect((await hold(found, api, 3 + i, `found ${i}`)).data.hold.__typename).toBe('Hold')
  }
  // The account keeps its holds.
  expect((await second.ask(RELEASE, { id: held.id }, laptop)).data.releaseHold).toMatchObject({
    state: 'RELEASED',
  })
})

test('an app that was killed finds its place again on any process, and no other account can', async () => {
  const event = await openRoom()
  const { phone, laptop } = await newFan()
  const before = await join(first, event, phone)
  const mine = async (who: typeof phone) =>
    (await second.ask(MINE, { id: event.id }, who)).data.viewer.queuePosition
  expect(await mine(phone)).toMatchObject({
    queueToken: before.queueToken,
    arrival: before.arrival,
    state: 'WAITING',
  })
  expect(await mine(laptop)).toBeNull()
  expect(await mine((await newFan()).phone)).toBeNull()
  await callAll(event)
  // The look-up takes no turn; the token that it returns does.
  await expect
    .poll(() => mine(phone), { timeout: 5_000 })
    .toMatchObject({ state: 'WAITING', admission: null })
  await expect
    .poll(
      async () => (await second.ask(POSITION, { token: before.queueToken }, phone)).data.queuePosition.state,
      {
        timeout: 5_000,
      },
    )
    .toBe('ADMITTED')
  expect(await mine(phone)).toMatchObject({ state: 'ADMITTED', admission: { token: expect.any(String) } })
})
