import { serverAudits } from 'graphql-http'
import { describe, expect, test, vi } from 'vitest'
import type { Context } from '../../../src/resolvers/request/context.ts'
import { Fault } from '../../../src/sale/faults.ts'
import { createFastPost } from '../../../src/server/graphql/fastPost.ts'
import { anonymousContext } from '../../../src/server/graphql/requestContext.ts'
import { createServerParts } from '../../../src/server/index.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'

const { url, app, db, token } = await testServer()
const event = await insertEvent(db)

const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'
/** Another media type of JSON: the fast lane leaves it to Yoga, which treats it as JSON. */
const YOGAS_TYPE = 'application/graphql+json'

const EVENT = 'query ($id: ID!) { event(id: $id) { id name sale { state } } }'
const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename } }'
const holdInput = (more = {}) => ({
  input: { eventId: event.id, selection: { seats: [event.seatId(1)] }, idempotencyKey: 'key', ...more },
})

describe('the fast lane answers as Yoga does', () => {
  const viewer = '{ viewer { accountId } }'
  const cases: [string, unknown][] = [
    ['an answer', { query: EVENT, variables: { id: event.id } }],
    [
      'an answer with a name',
      { query: `query A { ...f } query B ${viewer} fragment f on Query ${viewer}`, operationName: 'B' },
    ],
    ['nulls beside the query', { query: viewer, variables: null, operationName: null, extensions: null }],
    ['extensions', { query: viewer, extensions: { persistedQuery: { version: 1 } } }],
    [
      'a refusal to one field, and data beside it',
      { query: '{ order(id: "ord_x_1") { id } viewer { accountId } }' },
    ],
    ['a refusal to all of it', { query: HOLD, variables: holdInput() }],
    ['a variable that is missing', { query: EVENT }],
    ['a variable that does not fit', { query: HOLD, variables: holdInput({ more: 1 }) }],
    ['an argument that does not fit', { query: '{ event(id: 1.5) { id } }' }],
    [
      'too expensive a document',
      {
        query: 'query ($n: Int) { events(first: $n) { edges { node { sections { layout { id } } } } } }',
        variables: { n: 100 },
      },
    ],
    [
      'too deep a document',
      {
        query: `{ viewer { orders { edges { node { ${'tickets { order { '.repeat(6)} id ${'} }'.repeat(6)} } } } } }`,
      },
    ],
    ['a document that does not parse', { query: '{' }],
    ['an empty document', { query: '' }],
    ['a document that is not valid', { query: '{ nothing }' }],
    ['no such operation', { query: `query A ${viewer}`, operationName: 'B' }],
    ['two operations and no name', { query: `query A ${viewer} query B ${viewer}` }],
    [
      'two mutations',
      {
        query:
          'mutation { a: leaveQueue(input: { queueToken: "x" }) { state } b: leaveQueue(input: { queueToken: "x" }) { state } }',
      },
    ],
    ['a name that is no text', { query: viewer, operationName: 7 }],
    ['variables that are no object', { query: viewer, variables: [1] }],
    ['extensions that are no object', { query: viewer, extensions: 'x' }],
    ['an unknown parameter', { query: viewer, more: 1 }],
    ['no query', {}],
    ['a query that is no text', { query: 7 }],
    ['a batch', [{ query: viewer }]],
    ['null', null],
    ['a text', 'x'],
  ]

  async function ask(contentType: string, body: string, accept: string | undefined) {
    const headers = { 'content-type': contentType, ...(accept !== undefined && { accept }) }
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
    const text = await response.text()
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      cache: response.headers.get('cache-control'),
      allow: response.headers.get('allow'),
      // Differs by the request.
      body: text.replace(/"requestId":"[^"]*"/, '"requestId":""'),
    }
  }

  test.each(cases)('to %s', async (_name, params) => {
    const body = JSON.stringify(params)
    for (const accept of [JSON_TYPE, GRAPHQL_TYPE]) {
      // In both orders: the lanes share parsed documents.
      const fast = await ask(JSON_TYPE, body, accept)
      expect(fast).toEqual(await ask(YOGAS_TYPE, body, accept))
      expect(await ask(JSON_TYPE, body, accept)).toEqual(fast)
    }
    const other = body.replace('{ ', '{  ')
    const yogas = await ask(YOGAS_TYPE, other, GRAPHQL_TYPE)
    expect(await ask(JSON_TYPE, other, GRAPHQL_TYPE)).toEqual(yogas)
  })

  test('to every accept header', async () => {
    for (const accept of [
      undefined,
      '*/*',
      'application/*',
      'Application/JSON',
      `${GRAPHQL_TYPE}, ${JSON_TYPE};q=0.9`,
      `${JSON_TYPE}, ${GRAPHQL_TYPE}`,
      `multipart/mixed;deferSpec=20220824, ${GRAPHQL_TYPE}, ${JSON_TYPE}`,
      `text/event-stream, ${JSON_TYPE}`,
      `${JSON_TYPE}; charset=utf-8`,
      `${JSON_TYPE}; charset=latin1, ${GRAPHQL_TYPE}`,
      'text/html, */*',
      'text/html',
      'multipart/mixed',
      '',
      ',',
      ';',
    ])
      for (const query of [viewer, '{ order(id: "ord_x_1") { id } }']) {
        const fast = await ask(JSON_TYPE, JSON.stringify({ query }), accept)
        expect(fast, accept).toEqual(await ask(YOGAS_TYPE, JSON.stringify({ query }), accept))
      }
  })

  test('with the headers of a refusal, and with masked errors', async () => {
    const authorization = `Bearer ${await token()}`
    const answers = async (error: Error) => {
      const hold = vi.spyOn(app.holds, 'hold').mockRejectedValue(error)
      try {
        return await Promise.all(
          [JSON_TYPE, YOGAS_TYPE].map(async (contentType) => {
            const response = await fetch(`${url}/graphql`, {
              method: 'POST',
              headers: { 'content-type': contentType, accept: GRAPHQL_TYPE, authorization },
              body: JSON.stringify({ query: HOLD, variables: holdInput() }),
            })
            const { errors, data } = (await response.json()) as Json
            const retryAfter = response.headers.get('retry-after')
            const { retryAfterSeconds, requestId, ...extensions } = errors[0].extensions
            expect(retryAfter).toBe(retryAfterSeconds === undefined ? null : String(retryAfterSeconds))
            if (requestId) expect(requestId).toBe(response.headers.get('x-request-id'))
            return { status: response.status, data, ...errors[0], extensions }
          }),
        )
      } finally {
        hold.mockRestore()
      }
    }
    const [busy, yogasBusy] = await answers(new Fault('OVERLOADED', 'Busy.', { retryAfterSeconds: 5 }))
    expect(busy).toEqual(yogasBusy)
    expect(busy.extensions).toEqual({ code: 'OVERLOADED' })
    const [masked, yogasMasked] = await answers(new Error('password=hunter2'))
    expect(masked).toEqual(yogasMasked)
    expect(masked.extensions).toEqual({ code: 'INTERNAL' })
  })
})

describe('the fast lane', () => {
  const { metrics, outcomes, pipeline } = createServerParts(app)
  const fastPost = createFastPost(pipeline, outcomes)
  const post = async (body: string, accept: string | undefined, context: Context) => {
    const params = fastPost.read(body)
    return (
      params &&
      fastPost.answer(
        pipeline.parse(params, () => null),
        accept,
        context,
      )
    )
  }
  const ask = (params: unknown, accept?: string) =>
    post(JSON.stringify(params), accept, anonymousContext(app, 'test'))

  test('answers each query and mutation that can run, also where it fails', async () => {
    const answer = await ask({ query: EVENT, variables: { id: event.id } })
    expect(answer?.status).toBe(200)
    expect(JSON.parse(answer?.body ?? '').data.event.id).toBe(event.id)
    const refused = await ask({ query: HOLD, variables: holdInput() }, GRAPHQL_TYPE)
    expect(refused?.status).toBe(401)
    expect(await metrics.read()).toMatchObject({
      text: expect.stringContaining('{field="mutation.hold",outcome="UNAUTHENTICATED"} 1'),
    })
  })

  test('leaves to Yoga each request that cannot run or needs another media type', async () => {
    for (const params of [
      null,
      [],
      {},
      { query: '{' },
      { query: '{ nothing }' },
      { query: '{ viewer { accountId } }', more: 1 },
    ])
      expect(await ask(params), JSON.stringify(params)).toBeNull()
    expect(await post('{', undefined, anonymousContext(app, 'test'))).toBeNull()
    const subscription = `subscription { saleUpdated(eventId: "${event.id}") { state } }`
    expect(await ask({ query: subscription })).toBeNull()
    for (const accept of ['text/event-stream', 'multipart/mixed', 'text/html'])
      expect(await ask({ query: '{ viewer { accountId } }' }, accept)).toBeNull()
  })

  test('caches no cost that depends on variables or was not computed', async () => {
    const events = 'query ($n: Int!) { events(first: $n) { edges { node { sections { layout { id } } } } } }'
    const errorOf = async (variables: object) =>
      JSON.parse((await ask({ query: events, variables }))?.body ?? '').errors?.[0].message
    expect(await errorOf({ n: 'many' })).toMatch(/Int cannot represent/)
    expect(await errorOf({ n: 1 })).toBeUndefined()
    expect(await errorOf({ n: 100 })).toMatch(/complexity/)
    expect(await errorOf({ n: 1 })).toBeUndefined()
    const dear =
      'query ($id: ID!) { event(id: $id) { id } events(first: 100) { edges { node { sections { layout { id } } } } } }'
    for (const variables of [{}, { id: 'x' }, { id: 'x' }])
      expect(JSON.parse((await ask({ query: dear, variables }))?.body ?? '').errors[0].message).toMatch(
        'id' in variables ? /complexity/ : /was not provided/,
      )
  })
})

describe('GraphQL over HTTP, by Yoga', () => {
  const asYogas = (input: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    const type = headers.get('content-type')
    if (type) headers.set('content-type', type.replace(JSON_TYPE, YOGAS_TYPE))
    return fetch(input, { ...init, headers })
  }
  for (const audit of serverAudits({ url: `${url}/graphql`, fetchFn: asYogas }))
    test(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn()
      expect(result.status === 'ok' ? 'ok' : `${result.status}: ${(result as Json).reason}`).toBe('ok')
    })
})
