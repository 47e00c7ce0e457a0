import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFairgate, memorySession, randomId, solveAltcha } from '../../clients/sdk/index.ts'
import { LIMITS } from '../../src/sale/joinGuard/joinLimits.ts'
import type { AskOptions } from '../support/client.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'

const { ask, token, url, db, redis, socket } = await testServer()

const JOIN = `mutation ($event: ID!, $challenge: String, $moveHere: Boolean) {
  joinQueue(input: { eventId: $event, challenge: $challenge, moveHere: $moveHere }) {
    __typename
    ... on QueuePosition { arrival queueToken }
    ... on ChallengeRequired { message retryAfterSeconds challenge }
  }
}`

type Mode = 'NEVER' | 'ALWAYS' | 'SUSPICIOUS'

async function line(challenge: Mode): Promise<TestEvent> {
  const event = await insertEvent(db, {
    waitingRoom: true,
    opensInSeconds: 3_600,
    preQueueOpensInSeconds: -60,
  })
  await db.sql('update sales set challenge = $2 where event_id = $1', [event.id, challenge])
  return event
}

interface Fan extends AskOptions {
  token: string
  device: string
}

const fan = async (more: Partial<Fan> = {}): Promise<Fan> => ({
  token: await token(),
  device: randomId(),
  ...more,
})

/** One join over HTTP with a client address that a proxy reports. */
async function join(
  event: TestEvent,
  who: Fan,
  { challenge, from, moveHere }: { challenge?: string | null; from?: string; moveHere?: boolean } = {},
) {
  const headers: Record<string, string> = from === undefined ? {} : { 'x-forwarded-for': from }
  const {
    data,
    errors,
    headers: answered,
  } = await ask(JOIN, { event: event.id, challenge, moveHere }, { ...who, headers })
  return { answer: data?.joinQueue as Json, fault: errors?.[0], headers: answered }
}

async function solved(event: TestEvent, who: Fan): Promise<string> {
  const { answer } = await join(event, who)
  expect(answer).toMatchObject({ __typename: 'ChallengeRequired' })
  return (await solveAltcha(answer.challenge)) as string
}

async function placesOf(event: TestEvent): Promise<number> {
  const [row] = await db.sql('select count(*)::int as places from places where event_id = $1', [event.id])
  return row?.places
}

describe('a challenge', () => {
  test('NEVER: no fan is challenged, and an unasked answer is ignored', async () => {
    const event = await line('NEVER')
    const { answer } = await join(event, await fan({ device: 'x' }), { challenge: 'nonsense' })
    expect(answer).toMatchObject({ __typename: 'QueuePosition', arrival: 1 })
  })

  test('ALWAYS: a place needs an answer; a fan with a place is never challenged again, on any device', async () => {
    const event = await line('ALWAYS')
    const ana = await fan()
    const { answer: challenged } = await join(event, ana)
    expect(challenged).toMatchObject({ message: expect.any(String), retryAfterSeconds: null })
    expect(challenged.challenge).toMatchObject({ kind: 'altcha', signature: expect.any(String) })
    expect(await placesOf(event)).toBe(0)
    const challenge = (await solveAltcha(challenged.challenge)) as string
    const { answer: first } = await join(event, ana, { challenge })
    expect(first).toMatchObject({ __typename: 'QueuePosition', arrival: 1 })

    expect((await join(event, ana)).answer).toEqual(first)
    expect((await join(event, ana, { challenge })).answer).toEqual(first)
    const laptop = { ...ana, device: randomId() }
    expect((await join(event, laptop)).answer).toMatchObject({ __typename: 'PlaceOnOtherDevice' })
    expect((await join(event, laptop, { moveHere: true })).answer).toMatchObject({ arrival: 1 })
  })

  test('an answer is valid for its account at its event only', async () => {
    const [event, other] = await Promise.all([line('ALWAYS'), line('ALWAYS')])
    const [ana, bob] = await Promise.all([fan(), fan()])
    const challenge = await solved(event, ana)
    for (const { answer } of [
      await join(event, bob, { challenge }),
      await join(other, ana, { challenge }),
      await join(event, ana, { challenge: `${challenge.slice(0, -8)}AAAAAAAA` }),
      await join(event, ana, { challenge: 'x'.repeat(100_000) }),
    ])
      expect(answer).toMatchObject({
        __typename: 'ChallengeRequired',
        message: 'Answer the challenge and join again with the answer.',
      })
    expect((await join(event, ana, { challenge })).answer).toMatchObject({ arrival: 1 })
  })

  test('an answer that is sent twenty times at once is spent once', async () => {
    const event = await line('ALWAYS')
    const ana = await fan()
    const challenge = await solved(event, ana)
    const joins = await Promise.all(Array.from({ length: 20 }, () => join(event, ana, { challenge })))
    // Requests before the place was journalled are challenged again, or are too many at once.
    for (const { answer, fault } of joins) {
      if (fault) expect(fault.extensions.code).toBe('RATE_LIMITED')
      else expect(['QueuePosition', 'ChallengeRequired']).toContain(answer.__typename)
    }
    const placed = joins.flatMap(({ answer }) => (answer?.queueToken ? [answer.queueToken] : []))
    expect(placed.length).toBeGreaterThan(0)
    expect(new Set(placed).size).toBe(1)
    expect(await placesOf(event)).toBe(1)
  })

  test('a spent answer gives no second place after the fan has left the first', async () => {
    const event = await insertEvent(db, { waitingRoom: true, rate: 0 })
    await db.sql(`update sales set challenge = 'ALWAYS' where event_id = $1`, [event.id])
    const ana = await fan()
    const challenge = await solved(event, ana)
    const { answer } = await join(event, ana, { challenge })
    const left = await ask(
      'mutation ($queueToken: String!) { leaveQueue(input: { queueToken: $queueToken }) { state } }',
      { queueToken: answer.queueToken },
      ana,
    )
    expect(left.data.leaveQueue).toEqual({ state: 'FINISHED' })
    expect((await join(event, ana, { challenge })).answer).toMatchObject({ __typename: 'ChallengeRequired' })
    const again = await solved(event, ana)
    expect((await join(event, ana, { challenge: again })).answer).toMatchObject({ arrival: 2 })
  })

  test('SUSPICIOUS: a fan at home is not challenged; a shared or invented device and a crowd behind one address are', async () => {
    const event = await line('SUSPICIOUS')
    const kind = async (who: Fan, from: string) => (await join(event, who, { from })).answer.__typename
    for (let i = 0; i < 3; i++) expect(await kind(await fan(), '198.18.0.1')).toBe('QueuePosition')
    expect(await kind(await fan({ device: 'device 7' }), '198.18.0.2')).toBe('ChallengeRequired')
    const device = randomId()
    const farm: string[] = []
    for (let i = 0; i < 5; i++) farm.push(await kind(await fan({ device }), `198.18.1.${i}`))
    expect(farm).toEqual([...Array(3).fill('QueuePosition'), ...Array(2).fill('ChallengeRequired')])
    const crowd: string[] = []
    for (let i = 0; i < 14; i++) crowd.push(await kind(await fan(), '198.18.2.1'))
    expect(crowd).toEqual([...Array(10).fill('QueuePosition'), ...Array(4).fill('ChallengeRequired')])

    const honest = await fan()
    const { answer } = await join(event, honest, { from: '198.18.2.1' })
    const challenge = await solveAltcha(answer.challenge)
    expect((await join(event, honest, { from: '198.18.2.1', challenge })).answer).toMatchObject({
      __typename: 'QueuePosition',
    })
  })

  test('updateSale turns it on and off while the line is open', async () => {
    const event = await line('NEVER')
    const organizer = { token: await token('olga', { roles: ['organizer'] }) }
    for (const [mode, answered] of [
      ['ALWAYS', 'ChallengeRequired'],
      ['NEVER', 'QueuePosition'],
    ]) {
      const { errors } = await ask(
        'mutation ($input: UpdateSaleInput!) { updateSale(input: $input) { state } }',
        { input: { eventId: event.id, challenge: mode } },
        organizer,
      )
      expect(errors).toBeUndefined()
      expect((await join(event, await fan())).answer.__typename).toBe(answered)
    }
  })

  test('the SDK answers it by itself and reports that it is checking; a custom solver is called', async () => {
    const event = await line('ALWAYS')
    const client = async (more: object = {}) => {
      const session = memorySession()
      session.accountToken = await token()
      return createFairgate({ url, session, ...more })
    }
    const heard: boolean[] = []
    const joined = await (await client()).waitingRoom.join(event.id, { checking: (is) => heard.push(is) })
    expect(joined).toMatchObject({ __typename: 'QueuePosition', arrival: 1 })
    expect(heard).toEqual([true, false])

    const received: unknown[] = []
    const unsolved = await client({
      solve: async (challenge: unknown) => {
        received.push(challenge)
        return received.length < 2 ? 'a wrong answer' : null
      },
    })
    expect(await unsolved.waitingRoom.join(event.id)).toMatchObject({ __typename: 'ChallengeRequired' })
    expect(received).toEqual([
      expect.objectContaining({ kind: 'altcha' }),
      expect.objectContaining({ kind: 'altcha' }),
    ])
  })
})

describe('limits', () => {
  const joinMany = async (event: TestEvent, times: number, from: (i: number) => string, device?: string) => {
    const joins = []
    for (let i = 0; i < times; i += 25)
      joins.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(25, times - i) }, async (_, j) =>
            join(event, await fan(device === undefined ? {} : { device }), { from: from(i + j) }),
          ),
        )),
      )
    return joins
  }

  test('a device with too many accounts is refused with a time to retry; its accounts that have a place are not', async () => {
    const event = await line('NEVER')
    const device = randomId()
    const first = await fan({ device })
    expect((await join(event, first)).answer).toMatchObject({ arrival: 1 })
    const joins = await joinMany(event, 15, (i) => `198.18.3.${i}`, device)
    const refused = joins.filter(({ fault }) => fault)
    // After some seconds the first of them count a little less.
    expect(refused.length).toBeGreaterThanOrEqual(4)
    for (const { fault, headers } of refused) {
      expect(fault?.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
      expect(headers.get('retry-after')).toBe(String(fault?.extensions.retryAfterSeconds))
    }
    for (let reload = 0; reload < 30; reload++)
      expect((await join(event, first)).answer).toMatchObject({ arrival: 1 })
    expect(await placesOf(event)).toBe(16 - refused.length)
  })

  test('an account without a place may not keep trying', async () => {
    const event = await line('ALWAYS')
    const ana = await fan()
    const codes: string[] = []
    for (let i = 0; i < LIMITS.account + 5; i++) {
      const { answer, fault } = await join(event, ana, { challenge: `guess ${i}`, from: `198.18.4.${i}` })
      codes.push(fault?.extensions.code ?? answer.__typename)
    }
    expect(new Set(codes.slice(0, LIMITS.account))).toEqual(new Set(['ChallengeRequired']))
    expect(codes.at(-1)).toBe('RATE_LIMITED')
  })

  test('the address that a trusted proxy reports counts, whatever a client adds before it', async () => {
    const event = await line('NEVER')
    // As many as a minute allows; a slow machine may take longer than that.
    for (let joined = 0; joined < 2_000; joined += 25) {
      const joins = await joinMany(event, 25, (i) => `10.0.0.${i}, 203.0.113.7`)
      if (joins.some(({ fault }) => fault?.extensions.code === 'RATE_LIMITED')) break
    }
    const places = await placesOf(event)
    expect(places).toBeGreaterThanOrEqual(600)
    expect(places).toBeLessThan(1_200)
    expect((await join(event, await fan(), { from: '203.0.113.8' })).answer.__typename).toBe('QueuePosition')

    // Sockets too.
    const over = (who: Fan, from: string) =>
      new Promise<Json>((resolve, reject) => {
        const client = socket(
          { authorization: `Bearer ${who.token}`, deviceId: who.device },
          { 'x-forwarded-for': from },
        )
        client.subscribe(
          { query: JOIN, variables: { event: event.id } },
          { next: resolve, error: reject, complete: () => {} },
        )
      })
    // Each second lets some more join: more fans than a slow machine's seconds allow.
    const crowd = await Promise.all(Array.from({ length: 50 }, () => fan()))
    const answers = await Promise.all(crowd.map((who) => over(who, '203.0.113.7')))
    expect(
      answers.flatMap(({ errors }) => errors?.map(({ extensions }: Json) => extensions.code) ?? []),
    ).toContain('RATE_LIMITED')
    expect((await over(await fan(), '203.0.113.9')).data.joinQueue).toMatchObject({
      __typename: 'QueuePosition',
    })
  })
})

describe('while Redis is away', () => {
  test('no answer is accepted or spent, and the limits stay', async () => {
    const event = await line('ALWAYS')
    const ana = await fan()
    const challenge = await solved(event, ana)
    const device = randomId()
    const farm = await Promise.all(Array.from({ length: 12 }, () => fan({ device })))
    await redis.kill()
    expect((await join(event, ana, { challenge })).fault?.extensions.code).toBe('OVERLOADED')
    const codes = []
    for (const who of farm) codes.push((await join(event, who)).fault?.extensions.code ?? 'challenged')
    expect(codes).toEqual([...Array(10).fill('challenged'), ...Array(2).fill('RATE_LIMITED')])
    await redis.restart('kept')
    await expect
      .poll(async () => (await join(event, ana, { challenge })).answer?.__typename, {
        timeout: 10_000,
        interval: 1_500,
      })
      .toBe('QueuePosition')
    expect(await placesOf(event)).toBe(1)
  })
})

test('a forwarded address from an untrusted proxy is ignored', async () => {
  const {
    ask: askThere,
    token: tokenThere,
    db: there,
  } = await testServer({ TRUSTED_PROXIES: '203.0.113.0/24' })
  const event = await insertEvent(there, {
    waitingRoom: true,
    opensInSeconds: 3_600,
    preQueueOpensInSeconds: -60,
  })
  await there.sql(`update sales set challenge = 'SUSPICIOUS' where event_id = $1`, [event.id])
  const kinds = []
  for (let i = 0; i < 12; i++) {
    const who = { token: await tokenThere(`fan-${randomUUID()}`), device: randomId() }
    const { data } = await askThere(
      JOIN,
      { event: event.id },
      { ...who, headers: { 'x-forwarded-for': `198.18.5.${i}` } },
    )
    kinds.push(data.joinQueue.__typename)
  }
  expect(kinds).toEqual([...Array(10).fill('QueuePosition'), ...Array(2).fill('ChallengeRequired')])
})
