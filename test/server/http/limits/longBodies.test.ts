import { expect, test } from 'vitest'
import { createLongBodies } from '../../../../src/server/http/limits/longBodies.ts'
import { testServer } from '../../../support/server.ts'
import { stadium } from '../../../support/stadium.ts'

const { url, token, ask } = await testServer()

test('long bodies are served one at a time, and the accounts take turns', async () => {
  const { run } = createLongBodies(0)
  const served: string[] = []
  let underWay = 0
  const serve = (account: string) =>
    run(account, async () => {
      expect(++underWay).toBe(1)
      served.push(account)
      await new Promise(setImmediate)
      underWay--
    })
  await Promise.all(['a', 'a', 'a', 'b'].map(serve))
  expect(served).toEqual(['a', 'a', 'b', 'a'])
  await expect(run('a', () => Promise.reject(new Error('fails')))).rejects.toThrow('fails')
  expect(await run('a', async () => 'next')).toBe('next')
})

test.each([
  ['lists in lists', '['.repeat(200_000) + ']'.repeat(200_000), 'is nested more than 64 levels deep'],
  ['a row of too many seats', `[${'1,'.repeat(300_000)}1]`, 'has a list of more than 200000 entries'],
])(
  'an organizer who sends %s reads what is wrong, and the server parses nothing',
  async (_name, plan, fault) => {
    const olga = await token('olga', { roles: ['organizer'] })
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${olga}` },
      body: `{"query":"mutation ($input: CreateEventInput!) { createEvent(input: $input) { id } }","variables":{"input":{"seatingPlan":${plan}}}}`,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ message: `The body ${fault}.` }] })
    expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' })
  },
)

test('a long body is served as any other, if it and its answer are JSON', async () => {
  const olga = await token('olga', { roles: ['organizer'] })
  async function send(query: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${olga}`, ...headers },
      body: JSON.stringify({ query, variables: { input } }),
    })
    return { status: response.status, body: await response.json() }
  }
  const input = {
    slug: 'long-body',
    name: 'Long',
    startsAt: '2099-06-01T19:00:00Z',
    timeZone: 'Europe/Berlin',
    venue: { name: 'Stadium' },
    seatingPlan: stadium({ sections: 20, rows: 10, seatsPerRow: 13 }),
    prices: ['Lower', 'Middle', 'Upper'].map((category) => ({ category, price: 1_000 })),
    currency: 'EUR',
    sale: { opensAt: '2099-01-01T00:00:00Z' },
  }
  const create = 'mutation ($input: CreateEventInput!) { createEvent(input: $input) { slug } }'
  expect(await send(create)).toMatchObject({
    status: 200,
    body: { data: { createEvent: { slug: 'long-body' } } },
  })
  expect(await send(create)).toMatchObject({
    body: { errors: [{ extensions: { faults: [{ path: ['input', 'slug'] }] } }] },
  })
  expect(await send(create.replace('slug }', 'nonsense }'))).toMatchObject({
    body: { errors: [{ message: expect.stringContaining('nonsense') }] },
  })
  expect(await send(create, { accept: 'text/event-stream' })).toMatchObject({ status: 415 })
  expect(await send(create, { 'content-type': 'application/graphql' })).toMatchObject({ status: 415 })
})
