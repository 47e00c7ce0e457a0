import { setTimeout as sleep } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFairgate, memorySession } from '../../../../clients/sdk/index.ts'
import { eventually } from '../../eventually.ts'
import { fakeService, type Script, stream } from '../fakeService.ts'

const AS_OF = '2026-01-01T10:00:00.000Z'

function place(position: number, more: Record<string, unknown> = {}) {
  return {
    __typename: 'QueuePosition',
    eventId: 'evt_1',
    state: 'WAITING',
    queueToken: `token-${position}`,
    arrival: 9,
    place: 9,
    position,
    paused: false,
    available: 10,
    held: 0,
    pollAfterSeconds: 0,
    asOf: AS_OF,
    ...more,
  }
}

async function fan(script: Script) {
  const service = await fakeService(script)
  const session = memorySession('a-device')
  session.queueToken = 'token'
  const fairgate = createFairgate({ url: service.url, session })
  onTestFinished(() => fairgate.close())
  const heard: number[] = []
  const failed = vi.fn()
  const watch = (by?: 'either' | 'socket' | 'polling') => {
    const stop = fairgate.waitingRoom.watch(({ position }) => heard.push(position ?? 0), failed, by)
    onTestFinished(stop)
    return stop
  }
  return { service, session, fairgate, heard, failed, watch }
}

test('the socket delivers the position, and the session keeps the newest token', async () => {
  const positions = stream(() => [{ queuePosition: place(3) }])
  const { heard, session, watch } = await fan({ fields: { queuePosition: () => positions } })
  watch()
  await eventually(() => expect(heard).toEqual([3]))
  positions.push({ queuePosition: place(2) })
  await eventually(() => expect(heard).toEqual([3, 2]))
  expect(session.queueToken).toBe('token-2')
})

test('a waiting room with its own servers gets the requests for the line, below its path, and no others', async () => {
  const positions = stream(() => [{ queuePosition: place(3) }])
  const asked = { room: [] as string[], booking: [] as string[] }
  const records =
    (server: keyof typeof asked): Script['before'] =>
    ({ url = '' }) => {
      asked[server].push(url)
      return false
    }
  const joinQueue = () => place(3)
  const room = await fakeService(
    { before: records('room'), fields: { joinQueue, queuePosition: () => positions } },
    '/room/graphql',
  )
  const holds = stream<object>(() => [])
  const booking = await fakeService({ before: records('booking'), fields: { holdUpdated: () => holds } })
  const session = memorySession('a-device')
  const fairgate = createFairgate({ url: booking.url, roomUrl: `${room.url}/room/`, session })
  onTestFinished(() => fairgate.close())

  await fairgate.waitingRoom.join('evt_1')
  const heard: number[] = []
  onTestFinished(fairgate.waitingRoom.watch(({ position }) => heard.push(position ?? 0), vi.fn(), 'socket'))
  await eventually(() => expect(heard).toEqual([3]))
  expect(asked).toEqual({ room: ['/room/graphql'], booking: [] })
  expect([room.connections.length, booking.connections.length]).toEqual([1, 0])

  // The existing socket to booking is renewed with the admission that came over the other socket.
  onTestFinished(fairgate.holds.watch('hld_1', vi.fn(), vi.fn()))
  await eventually(() => expect(booking.connections).toHaveLength(1))
  expect(booking.connections[0]).not.toHaveProperty('admissionToken')
  const admission = { token: 'admission', expiresAt: AS_OF }
  positions.push({ queuePosition: place(0, { state: 'ADMITTED', admission }) })
  await eventually(() => expect(booking.connections).toHaveLength(2))
  expect(booking.connections[1]).toMatchObject({ admissionToken: 'admission' })
  expect(room.connections).toHaveLength(1)
})

test('the client does not subscribe again after the API ended the subscription', async () => {
  let subscriptions = 0
  async function* over() {
    subscriptions++
    yield { queuePosition: place(0, { state: 'FINISHED', position: null, place: null }) }
  }
  const { heard, failed, watch } = await fan({ fields: { queuePosition: over } })
  watch('socket')
  await eventually(() => expect(heard).toEqual([0]))
  // Longer than the backoff before the first new subscription.
  await sleep(600)
  expect(subscriptions).toBe(1)
  expect(failed).not.toHaveBeenCalled()
})

test('a closed client opens no socket and sends no request', async () => {
  const positions = stream(() => [{ queuePosition: place(3) }])
  const { service, fairgate, heard, watch } = await fan({ fields: { queuePosition: () => positions } })
  watch()
  await eventually(() => expect(heard).toEqual([3]))
  fairgate.close()
  await eventually(() => expect(fairgate.socket.connected).toBe(false))
  // Longer than the time after which polling starts, and than the first backoff.
  await sleep(4_000)
  expect(service.connections).toHaveLength(1)
  expect(heard).toEqual([3])
})

test('the client reconnects by itself with its current tokens after the socket was closed', async () => {
  const positions = stream(() => [{ queuePosition: place(3) }])
  const { service, session, heard, watch } = await fan({ fields: { queuePosition: () => positions } })
  watch()
  await eventually(() => expect(heard).toEqual([3]))
  session.accountToken = 'account'
  service.cutSockets()
  await eventually(() => expect(heard).toEqual([3, 3]))
  expect(service.connections).toEqual([
    { deviceId: 'a-device' },
    { deviceId: 'a-device', authorization: 'Bearer account' },
  ])
})

test('an admission that came over the socket needs no new socket', async () => {
  const admission = { token: 'admission', expiresAt: AS_OF }
  const positions = stream(() => [{ queuePosition: place(0, { state: 'ADMITTED', admission }) }])
  const { service, session, fairgate, heard, watch } = await fan({
    fields: { queuePosition: () => positions },
  })
  watch()
  await eventually(() => expect(heard).toEqual([0]))
  expect(session.admissionToken).toBe('admission')
  fairgate.socket.renew()
  positions.push({ queuePosition: place(0, { state: 'ADMITTED', admission }) })
  await eventually(() => expect(heard).toEqual([0, 0]))
  expect(service.connections).toHaveLength(1)
})

test('after a sign-in the client opens a new socket with the account at once', async () => {
  const positions = stream(() => [{ queuePosition: place(3) }])
  const { service, session, fairgate, heard, watch } = await fan({
    fields: { queuePosition: () => positions },
  })
  watch()
  await eventually(() => expect(heard).toEqual([3]))
  session.accountToken = 'account'
  fairgate.socket.renew()
  await eventually(() => expect(heard).toEqual([3, 3]))
  expect(service.connections.at(-1)).toMatchObject({ authorization: 'Bearer account' })
})

test('without a socket the client polls at the interval that the service gives', async () => {
  let asked = 0
  const { heard, watch } = await fan({
    fields: { queuePosition: () => place(100 - ++asked, { pollAfterSeconds: asked < 3 ? 0 : 60 }) },
  })
  watch('polling')
  await eventually(() => expect(heard).toEqual([99, 98, 97]))
})

test('the client polls while no socket can be opened, and stops polling when one is open', async () => {
  let asked = 0
  const positions = stream(() => [{ queuePosition: place(1) }])
  const { service, heard, watch } = await fan({
    fields: {
      queuePosition: (_args, caller) =>
        'accept' in caller ? place(50 - ++asked, { pollAfterSeconds: 1 }) : positions,
    },
  })
  service.refuseSockets(true)
  watch()
  await eventually(() => expect(heard.slice(0, 2)).toEqual([49, 48]))
  service.refuseSockets(false)
  await eventually(() => expect(heard.at(-1)).toBe(1))
  // A poll may have been in flight when the socket opened.
  await sleep(200)
  const before = asked
  // Longer than the interval between two polls.
  await sleep(1_300)
  positions.push({ queuePosition: place(0) })
  await eventually(() => expect(heard.at(-1)).toBe(0))
  expect(asked).toBe(before)
})

test('an invalid token is deleted from the session, and the caller gets the error', async () => {
  const { session, failed, watch } = await fan({
    fields: {
      queuePosition: () => {
        throw new GraphQLError('no', { extensions: { code: 'QUEUE_TOKEN_INVALID' } })
      },
    },
  })
  watch()
  await eventually(() => expect(failed).toHaveBeenCalledOnce())
  expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: 'QUEUE_TOKEN_INVALID' })
  expect(session.queueToken).toBeNull()
})

test('a stopped watch delivers no more values and leaves no subscription at the service', async () => {
  const positions = stream(() => [{ queuePosition: place(3) }])
  const { heard, watch } = await fan({ fields: { queuePosition: () => positions } })
  const stop = watch()
  await eventually(() => expect(heard).toEqual([3]))
  stop()
  positions.push({ queuePosition: place(2) })
  await eventually(() => expect(positions.readers).toBe(0))
  expect(heard).toEqual([3])
})
