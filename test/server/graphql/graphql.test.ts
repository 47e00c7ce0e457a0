import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { serverAudits } from 'graphql-http'
import { describe, expect, test } from 'vitest'
import { Fault, type FaultCode } from '../../../src/sale/faults.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'

const { url, app, db, ask, token } = await testServer()
const event = await insertEvent(db)

const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename } }`
const holdInput = (more = {}) => ({
  input: { eventId: event.id, selection: { seats: [event.seatId(1)] }, idempotencyKey: 'key', ...more },
})

/** Makes holds fail while `work` runs. */
async function failing<T>(error: unknown, work: () => Promise<T>): Promise<T> {
  const { holds } = app as { holds: Json }
  const { hold } = holds
  holds.hold = () => Promise.reject(error)
  try {
    return await work()
  } finally {
    holds.hold = hold
  }
}

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    body,
    headers: { 'content-type': JSON_TYPE, accept: GRAPHQL_TYPE, ...headers },
  })

describe('errors', () => {
  test.each<[FaultCode, number]>([
    ['UNAUTHENTICATED', 401],
    ['FORBIDDEN', 403],
    ['ADMISSION_REQUIRED', 403],
    ['QUEUE_TOKEN_INVALID', 403],
    ['BAD_USER_INPUT', 400],
    ['IDEMPOTENCY_KEY_REUSED', 422],
    ['REQUEST_IN_PROGRESS', 409],
    ['RATE_LIMITED', 429],
    ['OVERLOADED', 503],
  ])('%s is %d, and 200 for clients that want application/json', async (code, status) => {
    const options = { token: await token() }
    await failing(new Fault(code, 'Said so.', { retryAfterSeconds: 7, more: [1] }), async () => {
      const answer = await ask(HOLD, holdInput(), options)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('content-type')).toBe(`${GRAPHQL_TYPE}; charset=utf-8`)
      expect(answer.data).toBeNull()
      expect(answer.errors).toMatchObject([
        { message: 'Said so.', path: ['hold'], extensions: { code, more: [1] } },
      ])
      expect(answer.errors?.[0]?.extensions).not.toHaveProperty('http')
      const plain = await ask(HOLD, holdInput(), { ...options, accept: JSON_TYPE })
      expect(plain.status).toBe(200)
      expect(plain.errors).toMatchObject([{ extensions: { code } }])
    })
  })

  test('a refusal that may be retried has a jittered time in the answer and in the header', async () => {
    const options = { token: await token() }
    await failing(new Fault('OVERLOADED', 'Busy.', { retryAfterSeconds: 10 }), async () => {
      const times = new Set<number>()
      for (let i = 0; i < 20; i++) {
        const { errors, headers } = await ask(HOLD, holdInput(), options)
        const seconds = errors?.[0]?.extensions.retryAfterSeconds
        expect(headers.get('retry-after')).toBe(String(seconds))
        expect(seconds).toBeGreaterThanOrEqual(10)
        expect(seconds).toBeLessThanOrEqual(15)
        times.add(seconds)
      }
      expect(times.size).toBeGreaterThan(1)
    })
  })

  test("an unexpected error is masked, with the request's id", async () => {
    await failing(new Error('password=hunter2'), async () => {
      const answer = await ask(HOLD, holdInput(), { token: await token() })
      expect(answer.status).toBe(500)
      expect(answer.errors).toMatchObject([
        { path: ['hold'], extensions: { code: 'INTERNAL', requestId: answer.headers.get('x-request-id') } },
      ])
      expect(JSON.stringify(answer)).not.toMatch(/hunter2|stack/)
    })
  })

  test.each<[string, unknown]>([
    ['a database that refuses connections', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['a database that shuts down', Object.assign(new Error('x'), { code: '57P01' })],
    ['a pool that is exhausted', new Error('timeout exceeded when trying to connect')],
    ["a database that is away, in Prisma's words", Object.assign(new Error('x'), { code: 'P1001' })],
    [
      "a database that hangs up, in the adapter's words",
      Object.assign(new Error('x'), { cause: { kind: 'ConnectionClosed' } }),
    ],
    ['Redis away', new Error("Stream isn't writeable and enableOfflineQueue options is false")],
    ['Redis silent', new Error('Command timed out')],
  ])('%s is OVERLOADED, since it passes', async (_name, error) => {
    await failing(error, async () => {
      const { status, errors } = await ask(HOLD, holdInput(), { token: await token() })
      expect([status, errors?.[0]?.extensions.code]).toEqual([503, 'OVERLOADED'])
    })
  })

  test('a result with data has the status 200, with its errors beside the data', async () => {
    const { status, data, errors } = await ask(
      `query ($id: ID!) { order(id: "ord_x_1") { id } event(id: $id) { id } }`,
      { id: event.id },
    )
    expect(status).toBe(200)
    expect(data).toMatchObject({ order: null, event: { id: event.id } })
    expect(errors).toMatchObject([{ path: ['order'], extensions: { code: 'UNAUTHENTICATED' } }])
  })
})

describe('a faulty document or variable is BAD_USER_INPUT with its faults', () => {
  test.each<[string, string, object, (string | number)[], RegExp]>([
    ['no GraphQL', '{', {}, [], /Syntax Error/],
    ['an unknown field', '{ nothing }', {}, [], /Cannot query field "nothing"/],
    ['an argument of another type', '{ event(id: 1.5) { id } }', {}, [], /ID cannot represent/],
    ['a variable that is missing', 'query ($id: ID!) { event(id: $id) { id } }', {}, [], /was not provided/],
    [
      'an instant that is none',
      HOLD.replace('hold', 'hold'),
      holdInput({ eventId: null }),
      ['input', 'eventId'],
      /not to be null/,
    ],
    ['an unknown key', HOLD, holdInput({ more: 1 }), ['input'], /"more" is not defined/],
    ['no choice of seats', HOLD, holdInput({ selection: {} }), ['input', 'selection'], /Exactly one key/],
    [
      'two choices of seats',
      HOLD,
      holdInput({ selection: { seats: ['a'], bestAvailable: { quantity: 1 } } }),
      ['input', 'selection'],
      /Exactly one key/,
    ],
    [
      'two operations and no name',
      'query A { viewer { accountId } } query B { viewer { accountId } }',
      {},
      [],
      /operation/,
    ],
  ])('%s', async (_name, query, variables, path, message) => {
    const { status, data, errors } = await ask(query, variables, { token: await token() })
    expect(status).toBe(400)
    expect(data ?? null).toBeNull()
    expect(errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      faults: [{ path, message: expect.stringMatching(message) }],
    })
    expect((await ask(query, variables, { accept: JSON_TYPE })).status).toBe(200)
  })

  test('a long value is not repeated in the answer', async () => {
    const { errors } = await ask(HOLD, holdInput({ selection: { seats: ['x'.repeat(50_000)], more: 1 } }))
    expect(JSON.stringify(errors).length).toBeLessThan(5_000)
  })

  test('thousands of faulty variables: the answer names the first few', async () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`no${i}`, 1]))
    // The cost of the one depends on a variable, that of the other does not.
    for (const query of [
      'query ($near: NearInput!, $n: Int) { events(near: $near, first: $n) { edges { cursor } } }',
      'query ($near: NearInput!) { events(near: $near) { edges { cursor } } }',
    ]) {
      const { status, errors } = await ask(query, { near: many })
      expect([status, errors?.length], query).toEqual([400, 4])
    }
  })

  test('a NUL character in the filter of a list', async () => {
    const ops = { token: await token('otto', { roles: ['ops'] }) }
    const at = '2027-06-01T18:00:00.000Z'
    const cursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    for (const [field, filter] of [
      ['deadLetters', { queue: 'a\0' }],
      ['deadLetters', { queue: '\ud83d' }],
      ['deadLetters', { after: cursor(at, 'dl_\0') }],
      ['deadLetters', { after: cursor('-271821-04-20T00:00:00.000Z', 'dl_1') }],
      ['auditTrail', { after: cursor(at, 'aud_\0') }],
      ['auditTrail', { after: cursor('+275760-09-13T00:00:00.000Z', 'aud_1') }],
    ] as const) {
      const [[name, value]] = Object.entries(filter) as [[string, string]]
      const list = `query ($value: String) { ${field}(${name}: $value) { edges { cursor } } }`
      expect((await ask(list, { value }, ops)).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', faults: [{ path: [name] }] } },
      ])
    }
    const refused = await ask(
      `mutation ($ids: [ID!]!) { discardDeadLetters(input: { ids: $ids, reason: "x" }) { refused { deadLetterId } } }`,
      { ids: ['dl_\0'] },
      ops,
    )
    expect(refused.data.discardDeadLetters.refused).toEqual([{ deadLetterId: 'dl_\0' }])
  })

  test('the same fault in a second request is reported again', async () => {
    for (let i = 0; i < 2; i++) expect((await ask('{ nothing }')).errors).toHaveLength(1)
    for (let i = 0; i < 2; i++) expect((await ask('{')).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })
})

describe('limits refuse', () => {
  const refused = async (query: string, message: RegExp, variables = {}) => {
    const { status, errors } = await ask(query, variables)
    expect(errors?.[0]?.message).toMatch(message)
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT'])
  }

  test('a document of too many tokens', () => refused(`{ ${'viewer { accountId } '.repeat(600)} }`, /token/))
  test('one field too often', async () => {
    const times = (count: number) => `{ ${'viewer { __typename } '.repeat(count)} }`
    await refused(times(101), /selects viewer 101 times; the limit is 100/)
    expect((await ask(times(100))).errors).toBeUndefined()
  })
  test('too many aliases in a document', () =>
    refused(
      `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: viewer { accountId }`).join(' ')} }`,
      /aliases/,
    ))
  test('a document that is too deep', () =>
    refused(
      `{ viewer { orders { edges { node { ${'tickets { order { '.repeat(6)} id ${'} }'.repeat(6)} } } } } }`,
      /depth is 17; the limit is 15/,
    ))
  test('a document that is too broad', () =>
    refused(
      `{ ${Array.from({ length: 25 }, () => 'event(id: "x") { id slug name performers startsAt timeZone planWidth planHeight venue { name city latitude longitude } }').join(' ')} }`,
      /breadth/,
    ))
  test('the plans of a hundred events', () =>
    refused(
      'query ($n: Int) { events(first: $n) { edges { node { sections { layout { id } } } } } }',
      /complexity/,
      { n: 100 },
    ))
  test('an expensive operation behind a cheap one', async () => {
    const query = `query Cheap { viewer { accountId } }
      query Dear { events(first: 100) { edges { node { sections { layout { id } } } } } }`
    const response = await post(JSON.stringify({ query, operationName: 'Dear' }))
    expect(((await response.json()) as Json).errors[0].message).toMatch(/complexity/)
  })
  test('two mutations in one document, also in fragments and in several operations', async () => {
    const hold = 'hold(input: $i) { __typename }'
    for (const query of [
      `mutation ($i: HoldInput!) { a: ${hold} b: ${hold} }`,
      `mutation ($i: HoldInput!) { ...f } fragment f on Mutation { a: ${hold} ... on Mutation { b: ${hold} } }`,
    ])
      await refused(query, /one mutation/)
    const query = `mutation A($i: HoldInput!) { ${hold} } mutation B($i: HoldInput!) { ${hold} }`
    const two = await post(JSON.stringify({ query, operationName: 'A' }))
    expect(((await two.json()) as Json).errors[0].message).toMatch(/one mutation/)
  })
  test('the seats of more than one hall in a document', async () => {
    const hall = { id: (await insertEvent(db, { sections: [{ seats: 900 }, { seats: 331 }] })).id }
    const whole = '{ id key index row number x y priceLevelId wheelchair companionOf }'
    const plan = await ask(`query ($id: ID!) { event(id: $id) { sections { layout ${whole} } } }`, hall)
    expect(plan.data.event.sections.flatMap(({ layout }: Json) => layout)).toHaveLength(1_231)
    const stadium = { id: (await insertEvent(db, { sections: Array(20).fill({ seats: 500 }) })).id }
    const message =
      "layout: at most 2500 seats are served in one document: read each section's from its layoutUrl"
    for (const [query, of] of [
      ['query ($id: ID!) { event(id: $id) { sections { layout { id } } } }', stadium],
      // Each alias counts.
      [
        'query ($id: ID!) { a: event(id: $id) { ...f } b: event(id: $id) { ...f } c: event(id: $id) { ...f } } fragment f on Event { sections { layout { id } } }',
        hall,
      ],
    ] as const) {
      const { errors } = await ask(query, of)
      expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } })
    }
    // The next document is not affected.
    const next = await ask(
      'query ($id: ID!) { event(id: $id) { sections { layoutUrl layout { id } } } }',
      hall,
    )
    expect(next.errors).toBeUndefined()
  })
  test('a fragment that spreads itself', () =>
    refused('mutation { ...f } fragment f on Mutation { ...f }', /Cannot spread fragment/))

  test('nothing that clients need: the plan of an event, and a page of orders with all their fields', async () => {
    const plan = await ask(
      `query ($id: ID!) { event(id: $id) { id slug name performers startsAt timeZone planWidth planHeight
        venue { name city latitude longitude }
        sections { id key name kind capacity layoutUrl outline { x y }
          priceLevels { id key name color total { amount currency } price { amount } fee { amount } }
          layout { id key index row number x y priceLevelId wheelchair companionOf }
          availability { sectionId version asOf statuses available } } } }`,
      { id: event.id },
    )
    expect(plan.errors).toBeUndefined()
    const orders = await ask(
      `{ viewer { orders { edges { node { id state payment placedAt declineReason pdfUrl
        total { amount currency } refunded { amount currency } nextAction { url }
        event { id name startsAt timeZone venue { name } }
        hold { id state expiresAt asOf }
        items { section { id name } seat { id row number } priceLevel { id name } total { amount currency } }
        tickets { id barcode voided section { name } seat { row number } } } } } } }`,
      {},
      { token: await token() },
    )
    expect(orders.errors).toBeUndefined()
  })

  test('the standard introspection, in every form of it', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    for (const options of [{}, { inputValueDeprecation: true, oneOf: true }, { descriptions: false }]) {
      const { data, errors } = await ask(getIntrospectionQuery(options))
      expect(errors).toBeUndefined()
      expect(data.__schema.types.length).toBeGreaterThan(100)
    }
  })

  test('a small part of the schema', async () => {
    const { data, errors } = await ask(
      '{ __type(name: "Event") { name fields { name args { name } type { name ofType { name } } } } __schema { types { name } } }',
    )
    expect(errors).toBeUndefined()
    expect(data.__type.fields.length).toBeGreaterThan(5)
  })
})

describe('a document is refused before it is validated or run', () => {
  const times = (count: number, of: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => of(i)).join(' ')

  test('where it selects more of the schema than the standard introspection', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    const standard = getIntrospectionQuery()
    for (const query of [
      `{ ${times(30, (i) => `a${i}: __schema { types { name fields { name } } }`)} }`,
      `{ ${times(30, (i) => `a${i}: __type(name: "Mutation") { fields { name args { name } type { name fields { name args { name type { name } } } } } }`)} }`,
      standard.replace('__schema {', 'a: __schema {'),
      standard.replace('__schema {', 'viewer { accountId } __schema {'),
      standard.replace('types {', 'types { more: description'),
      standard
        .replace('query IntrospectionQuery', 'query IntrospectionQuery($unused: Boolean = true)')
        .replace('types {', 'types @include(if: $unused) {'),
      '{ __schema { types { fields { type { fields { type { name } } } } } } }',
      `{ __schema { types { ...t0 } } } ${times(12, (i) => `fragment t${i} on __Type { ...t${i + 1} ... on __Type { ...t${i + 1} } }`)} fragment t12 on __Type { alias: name }`,
    ]) {
      const { errors } = await ask(query)
      expect(errors?.[0]?.message).toMatch(/complexity is \d+; the limit is 5000/)
    }
  })

  test('where validation would compare too many pairs', async () => {
    for (const [query, reason] of [
      [`{ ${times(101, (i) => `...f${i}`)} }`, /spreads 101 fragments; the limit is 100/],
      [`{ viewer { ${times(501, () => 'accountId')} } }`, /selects accountId 501 times; the limit is 500/],
      [`{ ${times(101, (i) => `evt(id: ${i})`)} }`, /selects evt 101 times; the limit is 100/],
    ] as const) {
      const { status, errors } = await ask(query)
      expect(status).toBe(400)
      expect(errors?.[0]?.message).toMatch(reason)
    }
  })

  test('after its first five faults', async () => {
    const { errors } = await ask(`{ ${times(900, (i) => `evntBySlg${i}`)} }`)
    expect(errors).toHaveLength(6)
    expect(errors?.at(-1)?.message).toMatch(/too many validation errors/i)
  })
})

describe('malformed requests are refused', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number]>([
    ['invalid JSON', '{"query":', {}, 400],
    ['no body', '', {}, 400],
    ['null', 'null', {}, 400],
    ['a number', '7', {}, 400],
    ['no query', '{}', {}, 400],
    ['a query that is no text', '{"query": {}}', {}, 400],
    ['variables that are no object', '{"query": "{ viewer { accountId } }", "variables": [1]}', {}, 400],
    ['a batch', '[{"query": "{ viewer { accountId } }"}]', {}, 400],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x00]), {}, 400],
    ['a form with files', '--x--', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['a picture', 'x', { 'content-type': 'image/png' }, 415],
    [
      'a body of 300 kB',
      JSON.stringify({ query: `{ viewer { accountId } } #${'x'.repeat(300_000)}` }),
      {},
      413,
    ],
  ])('%s', async (_name, body, headers, status) => {
    const response = await post(body, headers)
    expect(response.status).toBe(status)
    if (status !== 415) expect(((await response.json()) as Json).errors[0].message).toMatch(/\w/)
  })

  test('a body without a length, when it exceeds the limit', async () => {
    const chunk = new TextEncoder().encode(' '.repeat(64 * 1_024))
    let chunks = 0
    const body = new ReadableStream({
      pull(controller) {
        if (++chunks > 1_000) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': JSON_TYPE },
    } as RequestInit).catch(() => null)
    // The connection may be cut before the answer is read.
    if (response) expect(response.status).toBe(413)
    expect(chunks).toBeLessThan(1_000)
  })

  test('except a plan of megabytes from an organizer, which is read', async () => {
    const body = JSON.stringify({
      query: '{ viewer { accountId } }',
      variables: { plan: 'x'.repeat(5_000_000) },
    })
    const organizer = await token('olga', { roles: ['organizer'] })
    expect((await post(body, { authorization: `Bearer ${organizer}` })).status).toBe(200)
  })
})

test('an id or a slug with an impossible character is unknown', async () => {
  const ops = { token: await token('otto', { roles: ['ops'] }) }
  for (const wrong of ['\0', 'a\0', '\ud83d', '\udc00x']) {
    const { data, errors } = await ask(
      `query ($id: ID!, $slug: String!, $aud: ID!, $dl: ID!, $hold: ID!, $order: ID!) {
        event(id: $id) { id } eventBySlug(slug: $slug) { id } hold(id: $hold) { id } order(id: $order) { id }
        node(id: $id) { id } audit: node(id: $aud) { id } letter: node(id: $dl) { id }
        viewer { holds(eventId: $id) { id } orders(eventId: $id) { edges { cursor } } }
        auditTrail(eventId: $id) { edges { cursor } }
      }`,
      {
        id: `evt_${wrong}`,
        slug: wrong,
        aud: `aud_${wrong}`,
        dl: `dl_${wrong}`,
        hold: `hld_x_${wrong}`,
        order: `ord_x_${wrong}`,
      },
      ops,
    )
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      event: null,
      eventBySlug: null,
      hold: null,
      order: null,
      node: null,
      audit: null,
      letter: null,
      viewer: { holds: [], orders: { edges: [] } },
      auditTrail: { edges: [] },
    })
  }
  expect((await fetch(`${url}/e/%00`)).status).toBe(404)
})

describe('POST', () => {
  test('accepts JSON only: a browser sends forms and text for any page', async () => {
    const query = 'mutation { leaveQueue(input: { queueToken: "x" }) { state } }'
    const form = new URLSearchParams({ query }).toString()
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', form],
      ['application/x-www-form-urlencoded; charset=utf-8', form],
      ['Application/X-WWW-Form-URLEncoded', form],
      ['text/plain', JSON.stringify({ query })],
      ['text/plain; application/json', JSON.stringify({ query })],
      ['multipart/form-data; boundary=x', '--x--'],
    ] as const) {
      const refused = await post(body, { 'content-type': type })
      expect(refused.status, type).toBe(415)
      expect(((await refused.json()) as Json).errors).toMatchObject([
        { message: 'Send the operation as JSON, with the content-type application/json.' },
      ])
    }
    const taken = await post('{"query":"{ viewer { accountId } }"}', {
      'content-type': 'Application/JSON; charset=utf-8',
    })
    expect(await taken.json()).toEqual({ data: { viewer: null } })
  })

  test('refuses a compressed body', async () => {
    const body = new Uint8Array(gzipSync('{"query":"{ viewer { accountId } }"}'))
    const refused = await post(body, { 'content-encoding': 'gzip' })
    expect(refused.status).toBe(415)
    expect(((await refused.json()) as Json).errors[0].message).toMatch(/must not be compressed/)
    expect(
      (await post('{"query":"{ viewer { accountId } }"}', { 'content-encoding': 'identity' })).status,
    ).toBe(200)
  })
})

describe('GET', () => {
  const get = (query: string, headers = {}) =>
    fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { accept: GRAPHQL_TYPE, ...headers },
    })

  test('serves queries', async () => {
    expect(await (await get('{ viewer { accountId } }')).json()).toEqual({ data: { viewer: null } })
  })

  test('names the parameter that is not JSON', async () => {
    for (const [name, value] of [
      ['variables', '{'],
      ['variables', 'undefined'],
      ['extensions', '{"a":'],
    ] as const) {
      const parameters = new URLSearchParams({ query: '{ viewer { accountId } }', [name]: value })
      const response = await fetch(`${url}/graphql?${parameters}`, { headers: { accept: GRAPHQL_TYPE } })
      expect(response.status).toBe(400)
      expect(((await response.json()) as Json).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', faults: [{ path: [name], message: 'is not JSON' }] } },
      ])
    }
    const empty = await fetch(`${url}/graphql?query={viewer{accountId}}&variables=&extensions=`)
    expect(await empty.json()).toEqual({ data: { viewer: null } })
  })

  test('refuses mutations, and queries that may start a turn', async () => {
    const mutation = await get('mutation { leaveQueue(input: { queueToken: "x" }) { state } }')
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST'])
    const position = await get('{ queuePosition(queueToken: "x") { state } }')
    expect(((await position.json()) as Json).errors[0]).toMatchObject({
      message: expect.stringMatching(/POST/),
      extensions: { code: 'BAD_USER_INPUT' },
    })
  })

  test('serves GraphiQL to a browser, without files from other servers', async () => {
    const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text()
    expect(page).toMatch(/graphiql/i)
    expect(page).not.toMatch(/(src|href)="?https?:/)
  })
})

describe('accounts', () => {
  const viewer = (authorization: string) =>
    ask('{ viewer { accountId } events(first: 1) { edges { cursor } } }', {}, { token: authorization })

  test('a request without a token has no account', async () => {
    expect((await ask('{ viewer { accountId } }')).data).toEqual({ viewer: null })
  })

  test('an invalid token is reported, and browsing still works', async () => {
    const good = await token('ana')
    const [head, , signature] = good.split('.')
    const other = Buffer.from(
      JSON.stringify({ sub: 'bob', exp: 4e9, iss: app.env.identity.issuer, aud: 'fairgate' }),
    )
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    for (const bad of [
      'x',
      `${good}x`,
      good.slice(0, -4),
      `${head}.${other.toString('base64url')}.${signature}`,
      `${none}.${other.toString('base64url')}.`,
      'x'.repeat(10_000),
    ]) {
      const { status, data, errors } = await viewer(bad)
      expect([status, data.viewer, data.events.edges.length]).toEqual([200, null, 1])
      expect(errors).toMatchObject([{ path: ['viewer'], extensions: { code: 'UNAUTHENTICATED' } }])
    }
  })

  test('an admission or a list of tickets is not accepted as an account token', async () => {
    const claims = {
      eventId: event.id,
      accountId: 'ana',
      device: new Uint8Array(8),
      arrival: 1,
      place: 1,
      expiresAt: new Date(4e12),
    }
    for (const foreign of [
      await app.tokens.signAdmissionToken(claims),
      await app.ticketStatus.list(event.id),
    ])
      expect((await viewer(foreign as string)).errors).toMatchObject([
        { extensions: { code: 'UNAUTHENTICATED' } },
      ])
  })
})

describe('an external identity provider', () => {
  let sets = 0
  let isAway = false
  const provider: Server = createServer((_request, response) => {
    sets++
    if (isAway) response.writeHead(500).end()
    else response.end(JSON.stringify({ keys: [publicJwk] }))
  })
  let publicJwk: Json
  cleanUp(() => void provider.close())

  test('its tokens are checked by its keys, issuer and audience; an outage of its keys is OVERLOADED', async () => {
    const { exportJWK, generateKeyPair, SignJWT } = await import('jose')
    const pair = await generateKeyPair('ES256')
    publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1' }
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    const { createIdentities } = await import('../../../src/server/auth/identity.ts')
    const identity = {
      jwksUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`,
      issuer: 'https://id.example.com',
      audience: 'tickets',
      claims: app.env.identity.claims,
    }
    const make = () => createIdentities({ ...app, env: { ...app.env, identity } })
    const sign = (claims = {}, { typ, key = pair.privateKey }: Json = {}) =>
      new SignJWT({
        sub: 'ana',
        email: 'ana@example.com',
        email_verified: true,
        roles: ['ops', 'root'],
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ })
        .setIssuer('https://id.example.com')
        .setAudience('tickets')
        .setExpirationTime('5m')
        .sign(key)

    isAway = true
    const identities = make()
    const bearer = async (token: Promise<string>) => identities.identify(`Bearer ${await token}`)
    await expect(bearer(sign())).rejects.toMatchObject({ code: 'OVERLOADED' })
    isAway = false
    expect(await bearer(sign())).toMatchObject({
      account: { id: 'ana', email: 'ana@example.com', emailVerified: true, roles: new Set(['ops']) },
      hasBadToken: false,
    })
    for (const typ of ['JWT', 'at+jwt', 'application/at+jwt'])
      expect((await bearer(sign({}, { typ }))).account?.id).toBe('ana')
    const stranger = await generateKeyPair('ES256')
    for (const bad of [
      sign({}, { typ: 'fairgate-ticket+jwt' }),
      sign({ sub: undefined }),
      sign({ sub: 'a\u0000' }),
      sign({}, { key: stranger.privateKey }),
    ])
      expect(await bearer(bad)).toMatchObject({ account: null, hasBadToken: true })
    const before = sets
    await bearer(sign())
    expect(sets).toBe(before)
  })
})

describe('GraphQL over HTTP', () => {
  for (const audit of serverAudits({ url: `${url}/graphql`, fetchFn: fetch }))
    test(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn()
      expect(result.status === 'ok' ? 'ok' : `${result.status}: ${(result as Json).reason}`).toBe('ok')
    })
})
