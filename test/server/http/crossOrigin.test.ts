import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { testServer } from '../../support/server.ts'

const ALLOWED = ['https://app.example.com', 'http://localhost:5173', 'capacitor://localhost', 'null']
const OTHERS = ['https://evil.example', 'https://app.example.com.evil.example', 'http://localhost:5174']

const { url } = await testServer({ ALLOWED_ORIGINS: `${ALLOWED.join(', ')},` })
const plain = await testServer()

const preflight = (at: string, origin: string) =>
  fetch(`${at}/graphql`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,device-id',
    },
  })
const post = (at: string, origin: string, query = '{ __typename }') =>
  fetch(`${at}/graphql`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
const opens = (at: string, origin: string) =>
  new Promise<boolean>((resolve) => {
    const socket = new WebSocket(`${at.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { origin },
    })
    socket.on('open', () => {
      socket.close()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

test.each(ALLOWED)(
  'a page of the allowed origin %s calls the API over HTTP and over a socket',
  async (origin) => {
    const asked = await preflight(url, origin)
    expect(asked.status).toBe(204)
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': expect.stringMatching(/authorization.*device-id.*admission-token/),
      vary: 'origin',
    })
    // A refusal can be read as well: a page sees its reason.
    for (const query of [
      '{ __typename }',
      '{ nothing }',
      'mutation { leaveQueue(input: { queueToken: "x" }) { state } }',
    ]) {
      const answer = await post(url, origin, query)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'retry-after, x-request-id',
        vary: 'origin',
      })
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    }
    expect(await opens(url, origin)).toBe(true)
  },
)

test.each(OTHERS)('a page of the other origin %s reads nothing', async (origin) => {
  expect((await preflight(url, origin)).headers.has('access-control-allow-origin')).toBe(false)
  expect((await post(url, origin)).headers.has('access-control-allow-origin')).toBe(false)
  expect(await opens(url, origin)).toBe(false)
})

test('without ALLOWED_ORIGINS no other origin is allowed', async () => {
  expect((await preflight(plain.url, 'null')).status).toBe(405)
  const { headers } = await post(plain.url, 'null')
  expect([headers.has('access-control-allow-origin'), headers.has('vary')]).toEqual([false, false])
  expect(await opens(plain.url, 'null')).toBe(false)
})
