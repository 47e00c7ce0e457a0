import { SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { importKeys, makeKeys } from '../../../src/keys.ts'
import { createTokens } from '../../../src/sale/tokens/tokens.ts'
import { createServerParts } from '../../../src/server/index.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'

const { url, app, db, token, socket } = await testServer()

const PLACE = `queueToken arrival state admission { token expiresAt }`
const JOIN = `mutation ($id: ID!, $moveHere: Boolean) { joinQueue(input: { eventId: $id, moveHere: $moveHere }) {
  ... on QueuePosition { ${PLACE} } } }`
const POSITION = `query ($token: String!) { queuePosition(queueToken: $token) { ${PLACE} } }`
const LEAVE = `mutation ($token: String!) { leaveQueue(input: { queueToken: $token }) { state } }`
const FOLLOW = `subscription ($token: String!) { queuePosition(queueToken: $token) { state } }`
const MAP = `query ($id: ID!) { event(id: $id) { sections { availability { version } } } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Refusal { message retryAfterSeconds } } }`

interface Who {
  token?: string
  device?: string
  admission?: string
}

/** An answer as it comes: status, headers and bytes, without what names this one request. */
async function raw(query: string, variables: object, who: Who): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(who.token && { authorization: `Bearer ${who.token}` }),
      ...(who.device !== undefined && { 'device-id': who.device }),
      ...(who.admission !== undefined && { 'admission-token': who.admission }),
    },
    body: JSON.stringify({ query, variables }),
  })
  const { date: _, 'x-request-id': requestId, ...headers } = Object.fromEntries(response.headers)
  const body = (await response.text()).replaceAll(requestId ?? '-', 'REQUEST')
  return JSON.stringify([response.status, headers, body])
}

async function ask(query: string, variables: object, who: Who): Promise<Json> {
  const [, , body] = JSON.parse(await raw(query, variables, who))
  return JSON.parse(body).data
}

/** The one answer that all of them get. */
async function theSame(answers: Promise<string>[]): Promise<Json> {
  const [first, ...others] = await Promise.all(answers)
  // The first answer of an operation is not from compiled code, which writes the same fields in another order.
  for (const other of others) expect(fieldsOf(other)).toEqual(fieldsOf(first as string))
  const [status, , body] = fieldsOf(first as string)
  return { status, ...body }
}

function fieldsOf(answer: string): [status: number, headers: Json, body: Json] {
  const [status, headers, body] = JSON.parse(answer)
  return [status, headers, JSON.parse(body)]
}

/** Forgeries of a token. */
async function forgeries(right: string): Promise<Record<string, string>> {
  const [header, payload, signature] = right.split('.') as [string, string, string]
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
  const claims = decode(payload)
  const head = decode(header)
  const [{ kid, secret }] = app.keys.tokens
  const strange = createTokens(await importKeys(await makeKeys()))
  const signed = (protectedHeader: object, key: Uint8Array = secret) =>
    new SignJWT(claims).setProtectedHeader(protectedHeader as { alg: string }).sign(key)
  const lastBits = {
    A: 'B',
    E: 'F',
    I: 'J',
    M: 'N',
    Q: 'R',
    U: 'V',
    Y: 'Z',
    c: 'd',
    g: 'h',
    k: 'l',
    o: 'p',
    s: 't',
    w: 'x',
    '0': '1',
    '4': '5',
    '8': '9',
  }
  const last = signature.at(-1) as keyof typeof lastBits
  return {
    nonsense: 'nonsense',
    'three parts of nothing': '..',
    'another place': `${header}.${encode({ ...claims, arr: claims.arr + 1 })}.${signature}`,
    'a later end': `${header}.${encode({ ...claims, exp: 4_000_000_000 })}.${signature}`,
    'cut short': right.slice(0, -1),
    'one letter more': `${right}A`,
    'bits that decoding drops': `${right.slice(0, -1)}${lastBits[last] ?? '_'}`,
    'no signature': `${header}.${payload}.`,
    'two parts': `${header}.${payload}`,
    'not signed at all': new UnsecuredJWT(claims).encode(),
    'another algorithm': await signed({ ...head, alg: 'HS512' }, Buffer.alloc(64, secret)),
    'no key named': await signed({ alg: head.alg, typ: head.typ }),
    'an unknown key': await signed({ ...head, kid: 'nobody' }),
    'the key’s name on another key': await signed({ ...head, kid }, Buffer.alloc(32, 'x')),
    'another kind': await signed({ ...head, typ: 'JWT' }),
    'of another service': strange.signQueueToken({
      eventId: claims.evt,
      accountId: claims.sub,
      device: new Uint8Array(8),
      arrival: 1,
    }),
    'far too long': right + 'A'.repeat(5_000),
  }
}

test('an account token is kept once, however its header is written', async () => {
  const { identities } = createServerParts(app)
  const ana = await token('ana')
  const { account } = await identities.identify(`Bearer ${ana}`)
  expect(account?.id).toBe('ana')
  // No promise: the token is known.
  for (const header of [`Bearer ${ana}`, `bearer ${ana}`, `Bearer${' '.repeat(200_000)}${ana}`])
    expect(identities.identify(header)).toMatchObject({ account: { id: 'ana' } })
  expect(identities.identify(`Bearer ${ana}~~`)).toMatchObject({ account: null, hasBadToken: true })
})

test('every bad queue token gets the same answer, whatever its fault', async () => {
  const event = await insertEvent(db, { waitingRoom: true })
  const ana = { token: await token('ana'), device: 'phone' }
  const bob = { token: await token('bob'), device: 'phone' }
  const cid = { token: await token('cid'), device: 'phone' }
  const place = (await ask(JOIN, { id: event.id }, ana)).joinQueue
  const bobs = (await ask(JOIN, { id: event.id }, bob)).joinQueue
  const before = (await ask(JOIN, { id: event.id }, cid)).joinQueue.queueToken
  await ask(JOIN, { id: event.id, moveHere: true }, { ...cid, device: 'laptop' })
  const claims = { eventId: event.id, accountId: 'ana', device: new Uint8Array(8), arrival: 1 }
  await expect
    .poll(async () => JSON.parse(await raw(POSITION, { token: before }, cid))[0], { timeout: 20_000 })
    .toBe(403)
  expect(await ask(POSITION, { token: place.queueToken }, ana)).toMatchObject({
    queuePosition: { state: 'WAITING' },
  })

  const bad: [token: string, who: Who][] = [
    ...Object.values(await forgeries(place.queueToken)).map((forged): [string, Who] => [forged, ana]),
    ['', ana],
    ['\u0000', ana],
    [ana.token, ana],
    [bobs.queueToken, ana],
    [place.queueToken, bob],
    [place.queueToken, { ...ana, device: 'another' }],
    [place.queueToken, { token: ana.token }],
    [place.queueToken, { device: 'another' }],
    [before, cid],
    [app.tokens.signQueueToken({ ...claims, eventId: 'evt_nothere' }), ana],
    [app.tokens.signQueueToken(claims), ana],
    [app.tokens.signAdmissionToken({ ...claims, place: 1, expiresAt: new Date(4_000_000_000_000) }), ana],
  ]
  for (const [query, field] of [
    [POSITION, 'queuePosition'],
    [LEAVE, 'leaveQueue'],
  ] as const) {
    const answer = await theSame(bad.map(([forged, who]) => raw(query, { token: forged }, who)))
    expect(answer).toMatchObject({
      status: 403,
      errors: [{ path: [field], extensions: { code: 'QUEUE_TOKEN_INVALID' } }],
    })
    expect(Object.keys(answer.errors[0].extensions)).toEqual(['code'])
  }
  // On a socket, likewise.
  const errors = await Promise.all(bad.map(([forged, who]) => refusedOnSocket(forged, who)))
  for (const error of errors) expect(error).toEqual(errors[0])
  expect(errors[0]).toMatchObject({ extensions: { code: 'QUEUE_TOKEN_INVALID' } })
  // No fan left the line by this.
  expect(await db.sql('select from places where event_id = $1 and left_at is not null', [event.id])).toEqual(
    [],
  )
})

function refusedOnSocket(queueToken: string, { token: account, device }: Who): Promise<Json> {
  const { promise, resolve, reject } = Promise.withResolvers<Json>()
  socket({
    ...(account && { authorization: `Bearer ${account}` }),
    ...(device && { deviceId: device }),
  }).subscribe(
    { query: FOLLOW, variables: { token: queueToken } },
    {
      next: ({ errors }) => (errors ? resolve(errors[0]) : reject(new Error('it was let through'))),
      error: (error) => resolve((error as Json[])[0]),
      complete: () => {},
    },
  )
  return promise
}

/** A fan whose turn has begun, with an admission. */
async function letIn(who: Who & { queueToken: string }) {
  let place: Json
  await expect
    .poll(async () => (place = (await ask(POSITION, { token: who.queueToken }, who)).queuePosition), {
      timeout: 5_000,
    })
    .toMatchObject({ state: 'ADMITTED' })
  return { ...who, admission: place.admission.token as string }
}

type In = Awaited<ReturnType<typeof letIn>>

test('every bad admission gets the answer of a missing one', async () => {
  const event = await insertEvent(db, { waitingRoom: true })
  const other = await insertEvent(db, { waitingRoom: true })
  const join = async (name: string, eventId = event.id) => {
    const who = { token: await token(name), device: 'phone' }
    const { queueToken } = (await ask(JOIN, { id: eventId }, who)).joinQueue
    return { ...who, queueToken: queueToken as string }
  }
  const joined = await Promise.all([
    join('ana'),
    join('bob'),
    join('cid'),
    join('dot'),
    join('ana', other.id),
  ])
  for (const { id } of [event, other]) {
    await db.sql('update rooms set admitted_up_to = 9, tick = 1 where event_id = $1', [id])
    await db.sql(
      'insert into calls (event_id, tick, at, admitted_up_to, worked) values ($1, 1, now(), 9, 1)',
      [id],
    )
  }
  const [ana, bob, cid, dot, elsewhere] = (await Promise.all(joined.map(letIn))) as [In, In, In, In, In]
  expect(await ask(MAP, { id: event.id }, ana)).toMatchObject({
    event: { sections: [{ availability: { version: 0 } }] },
  })
  // Given up; moved to another device.
  await ask(LEAVE, { token: cid.queueToken }, cid)
  await ask(JOIN, { id: event.id, moveHere: true }, { token: dot.token, device: 'laptop' })
  const claims = app.tokens.verifyAdmissionToken(ana.admission, new Date())
  if (!claims) throw new Error('not ours')

  const bad: Who[] = [
    { token: ana.token, device: ana.device },
    ...Object.values(await forgeries(ana.admission)).map((admission) => ({ ...ana, admission })),
    { ...ana, admission: ana.queueToken },
    { ...ana, admission: ana.token },
    { ...ana, admission: bob.admission },
    { ...bob, admission: ana.admission },
    { ...ana, admission: elsewhere.admission },
    { ...ana, device: 'another' },
    { token: ana.token, admission: ana.admission },
    {
      ...ana,
      admission: app.tokens.signAdmissionToken({ ...claims, expiresAt: new Date(Date.now() - 1_000) }),
    },
    { ...ana, admission: app.tokens.signAdmissionToken({ ...claims, eventId: other.id }) },
    cid,
    dot,
  ]
  const map = await theSame(bad.map((who) => raw(MAP, { id: event.id }, who)))
  expect(map).toMatchObject({ status: 200, errors: [{ extensions: { code: 'ADMISSION_REQUIRED' } }] })

  const hold = (who: Who) =>
    raw(
      HOLD,
      { input: { eventId: event.id, selection: { seats: [event.seatId(1)] }, idempotencyKey: 'k' } },
      who,
    )
  // One after the other: an account may have eight holds under way.
  const answers: string[] = []
  for (const who of bad) answers.push(await hold(who))
  const refused = await theSame(answers.map((answer) => Promise.resolve(answer)))
  expect(refused).toMatchObject({ status: 200, data: { hold: { __typename: 'AdmissionRequired' } } })
  expect(await db.sql('select from holds where event_id = $1', [event.id])).toEqual([])

  // Those that were right are so still; one that has run out, or whose purchase ended it, holds nothing more.
  expect(JSON.parse(JSON.parse(await hold(ana))[2]).data.hold.__typename).toBe('Hold')
  await db.sql('update admissions set ended_at = now() where event_id = $1 and account_id = $2', [
    event.id,
    'bob',
  ])
  expect(await hold(bob)).toBe(await hold(cid))
})
