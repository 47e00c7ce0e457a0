import { GraphQLError } from 'graphql'
import { expect, test, vi } from 'vitest'
import {
  CreateEventDocument,
  HoldDocument,
  LeaveQueueDocument,
  SaleDocument,
} from '../../../../clients/sdk/generated/operations.ts'
import { memorySession } from '../../../../clients/sdk/session.ts'
import { createClient } from '../../../../clients/sdk/transport/client.ts'
import { createConnectivity } from '../../../../clients/sdk/transport/connectivity.ts'
import { ApiError, ConnectionLost } from '../../../../clients/sdk/transport/errors.ts'
import { fakeService } from '../fakeService.ts'

const input = { eventId: 'evt_1', selection: { seats: ['seat_1_1'] }, idempotencyKey: 'one-intention' }
const held = {
  __typename: 'Hold',
  id: 'hld_1',
  state: 'ACTIVE',
  payments: { provider: 'sandbox', publishableKey: null },
  items: [],
  total: { amount: 1, currency: 'EUR' },
}
const gone = { __typename: 'SeatsTaken', message: 'gone', unavailable: ['seat_1_1'], alternatives: [] }
const now = { expiresAt: '2026-01-01T00:00:00.000Z', asOf: '2026-01-01T00:00:00.000Z' }

function refusing(times: number, extensions: Record<string, unknown>, then: unknown) {
  let calls = 0
  return () => {
    if (++calls <= times) throw new GraphQLError('no', { extensions })
    return then
  }
}

test('a request carries the account, the device and the admission', async () => {
  const service = await fakeService({ fields: { hold: () => ({ ...held, ...now }) } })
  const session = memorySession('a-device')
  Object.assign(session, { accountToken: 'account', admissionToken: 'admission' })
  await createClient({ url: service.url, session }).request(HoldDocument, { input })
  expect(service.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer account',
    'device-id': 'a-device',
    'admission-token': 'admission',
    accept: expect.stringContaining('application/graphql-response+json'),
  })
})

test('a refusal is returned as data', async () => {
  const service = await fakeService({ fields: { hold: () => gone } })
  const client = createClient({ url: service.url, session: memorySession() })
  expect((await client.request(HoldDocument, { input })).hold).toMatchObject({
    __typename: 'SeatsTaken',
    unavailable: ['seat_1_1'],
  })
})

test('an error has its code, its faults and the id of the request', async () => {
  const faults = [{ path: ['input', 'selection'], message: 'names a seat twice' }]
  const service = await fakeService({
    fields: { hold: refusing(1, { code: 'BAD_USER_INPUT', faults, requestId: 'r-17' }, null) },
  })
  const client = createClient({ url: service.url, session: memorySession() })
  const error = await client.request(HoldDocument, { input }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: 'BAD_USER_INPUT', faults, requestId: 'r-17', retryAfterSeconds: null })
  expect(service.requests).toHaveLength(1)
})

test('after a lost answer the client sends the same request again, with the same key', async () => {
  let dropped = 0
  const service = await fakeService({
    fields: { hold: () => ({ ...held, ...now }) },
    before: (request) => {
      if (dropped++ >= 2) return false
      request.socket.destroy()
      return true
    },
  })
  const client = createClient({ url: service.url, session: memorySession() })
  expect((await client.request(HoldDocument, { input })).hold).toMatchObject({ id: 'hld_1' })
  const bodies = service.requests.map(({ body }) => JSON.stringify(body))
  expect(bodies).toHaveLength(3)
  expect(new Set(bodies).size).toBe(1)
})

test('an answer that does not come in time counts as lost', async () => {
  let first = true
  const service = await fakeService({
    fields: { hold: () => ({ ...held, ...now }) },
    before: () => {
      const silent = first
      first = false
      return silent
    },
  })
  const client = createClient({ url: service.url, session: memorySession() })
  const result = await client.request(HoldDocument, { input }, { answerWithinMs: 1_000 })
  expect(result.hold).toMatchObject({ id: 'hld_1' })
  expect(service.requests).toHaveLength(2)
})

test('the client never repeats a request that must not run twice', async () => {
  const service = await fakeService({
    before: (request) => {
      request.socket.destroy()
      return true
    },
  })
  const client = createClient({ url: service.url, session: memorySession() })
  await expect(client.request(CreateEventDocument, { input: {} as never })).rejects.toBeInstanceOf(
    ConnectionLost,
  )
  expect(service.requests).toHaveLength(1)
})

test('a request that the service did not carry out is retried at the time that the service gives', async () => {
  const overloaded = { code: 'OVERLOADED', retryAfterSeconds: 0.05 }
  const service = await fakeService({ fields: { hold: refusing(2, overloaded, { ...held, ...now }) } })
  const client = createClient({ url: service.url, session: memorySession() })
  expect((await client.request(HoldDocument, { input })).hold).toMatchObject({ id: 'hld_1' })
  expect(service.requests).toHaveLength(3)
})

test('the client throws the last error if the retry would exceed the time limit of the caller', async () => {
  const service = await fakeService({
    fields: { leaveQueue: refusing(9, { code: 'RATE_LIMITED', retryAfterSeconds: 60 }, null) },
  })
  const client = createClient({ url: service.url, session: memorySession() })
  const error = await client
    .request(LeaveQueueDocument, { input: { queueToken: 'x' } }, { withinMs: 1_000 })
    .catch((e) => e)
  expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 })
  expect(service.requests).toHaveLength(1)
})

test('the client reads Retry-After from an answer without GraphQL', async () => {
  const service = await fakeService({
    before: (_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('slow down')
      return true
    },
  })
  const client = createClient({ url: service.url, session: memorySession() })
  const error = await client.request(SaleDocument, { eventId: 'evt_1' }, { withinMs: 100 }).catch((e) => e)
  expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 7 })
})

test('an aborted request stops at once', async () => {
  const service = await fakeService({ before: () => true })
  const client = createClient({ url: service.url, session: memorySession() })
  const stop = new AbortController()
  const asked = client.request(SaleDocument, { eventId: 'evt_1' }, { signal: stop.signal })
  stop.abort(new Error('closed'))
  await expect(asked).rejects.toThrow('closed')
})

test('listeners are notified when the service becomes unreachable and reachable', async () => {
  let down = true
  const service = await fakeService({
    fields: { event: () => null },
    before: (request) => {
      if (down) request.socket.destroy()
      return down
    },
  })
  const connectivity = createConnectivity()
  const listener = vi.fn(() => {
    down = false
  })
  connectivity.onChange(listener)
  const client = createClient({ url: service.url, session: memorySession(), connectivity })
  await client.request(SaleDocument, { eventId: 'evt_1' })
  expect(listener.mock.calls).toEqual([[false], [true]])
})

test('a whole address, as that of a layout at a CDN, is read as it is; a path is read from the service', async () => {
  const read: string[] = []
  const fetch = (async (address: URL) => {
    read.push(address.href)
    return new Response('[]')
  }) as unknown as typeof globalThis.fetch
  const client = createClient({ url: 'https://tickets.example/room/', session: memorySession(), fetch })
  await client.get('https://cdn.example/events/evt_1/layouts/1-ab.json')
  await client.get('/layouts/1-ab.json')
  expect(read).toEqual([
    'https://cdn.example/events/evt_1/layouts/1-ab.json',
    'https://tickets.example/room/layouts/1-ab.json',
  ])
})
