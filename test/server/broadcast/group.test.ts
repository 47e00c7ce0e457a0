import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { isReady } from '../../../src/server/broadcast/delivery.ts'
import { createGroup, type Member } from '../../../src/server/broadcast/group.ts'
import { quotedId } from '../../../src/server/broadcast/message.ts'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
await once(server, 'listening')
afterEach(() => vi.useRealTimers())
const clients: WebSocket[] = []
afterAll(() => {
  // A client that a test has paused does not see the end of its connection.
  for (const client of [...clients, ...server.clients]) client.terminate()
  server.close()
})

const PATIENT = { timeout: 20_000 }

/** A snapshot where `from` is null; otherwise the change from there. */
interface Value {
  from: number | null
  to: number
  weight: string
}

/** A source whose updates the test triggers. */
function numbers(weight = '', eventId = 'evt_x') {
  let to = 1
  let wake: (() => void) | undefined
  const waiting: Value[] = [{ from: null, to, weight }]
  let read = 0
  const updates: AsyncIterableIterator<Value> = {
    async next() {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      read++
      return { done: false, value: waiting.shift() as Value }
    },
    return: async () => ({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
  let serialized = 0
  return {
    source: {
      eventId,
      updates,
      snapshot: async (last: Value) => ({ ...last, from: null }),
      async serialize(value: Value) {
        serialized++
        return Buffer.from(`${JSON.stringify(value)}}`)
      },
    },
    change() {
      waiting.push({ from: to, to: ++to, weight })
      wake?.()
    },
    last: () => to,
    read: () => read,
    serialized: () => serialized,
  }
}

/** Both ends of a connection, and the state of the client. Counts a gap where the client missed an update. */
async function connect(id: string) {
  const [client, [socket]] = await Promise.all([
    (async () => {
      const { port } = server.address() as AddressInfo
      const ws = new WebSocket(`ws://127.0.0.1:${port}`)
      clients.push(ws)
      await once(ws, 'open')
      return ws
    })(),
    once(server, 'connection') as Promise<[WebSocket]>,
  ])
  const state = { at: 0, snapshots: 0, gaps: 0, ids: new Set<string>() }
  client.on('message', (data) => {
    const { id, type, payload } = JSON.parse(String(data)) as { id: string; type: string; payload: Value }
    state.ids.add(`${type} ${id}`)
    if (payload.from === null) state.snapshots++
    else if (payload.from !== state.at) state.gaps++
    state.at = payload.to
  })
  let abandoned = false
  const member: Member = {
    ...{ socket, id: quotedId(id), behindSince: undefined, at: 0, isDue: undefined },
    giveUp() {
      abandoned = true
      socket.terminate()
    },
    end() {},
  }
  const tcp = (client as unknown as { _socket: Socket })._socket
  return { client, socket, member, state, tcp, isGivenUp: () => abandoned }
}

test('a new member gets a snapshot, then changes under its own id; each message is made once for all', async () => {
  const { source, change, last, read, serialized } = numbers()
  const peers: Awaited<ReturnType<typeof connect>>[] = []
  const ids = Array.from({ length: 12 }, (_, i) => `own "${i}" é日🎟 ${'longer '.repeat(i % 4)}\ud800`)
  for (const id of ids) peers.push(await connect(id))
  const group = createGroup(source, () => {})
  await expect.poll(serialized, { interval: 1 }).toBe(1)
  for (const { member } of peers) {
    group.join(member)
    change()
    await sleep(5)
  }
  await expect.poll(() => peers.every(({ state }) => state.at === last()), PATIENT).toBe(true)
  expect(peers.map(({ state }) => state.gaps)).toEqual(peers.map(() => 0))
  expect(peers.map(({ state }) => state.snapshots)).toEqual(peers.map(() => 1))
  expect(peers.map(({ state }) => [...state.ids])).toEqual(ids.map((id) => [`next ${id}`]))
  expect(read()).toBe(last())
  // Each change once, and at most one snapshot for each new member.
  expect(serialized()).toBeLessThanOrEqual(last() + peers.length)
})

test('a socket that reads nothing fills no buffer and delays no other socket; one snapshot brings it up to date', async () => {
  const { source, change, last } = numbers('x'.repeat(100_000))
  const [slow, quick] = [await connect('slow'), await connect('fast')]
  const group = createGroup(source, () => {})
  for (const { member } of [slow, quick]) group.join(member)
  await expect.poll(() => slow.state.at, PATIENT).toBe(1)

  slow.tcp.pause()
  // Far more than the system's buffers hold.
  let most = 0
  for (let i = 0; i < 300; i++) {
    change()
    await expect.poll(() => quick.state.at, { ...PATIENT, interval: 1 }).toBe(last())
    most = Math.max(most, slow.socket.bufferedAmount)
  }
  expect(quick.state).toMatchObject({ gaps: 0, snapshots: 1 })
  expect(most).toBeGreaterThan(0)
  // Less than one message: the rest of the last message, which the system has not accepted.
  expect(most).toBeLessThan(100_200)

  slow.tcp.resume()
  await expect.poll(() => slow.state.at, PATIENT).toBe(last())
  expect(slow.state).toMatchObject({ gaps: 0, snapshots: 2 })
  change()
  await expect.poll(() => slow.state.at, PATIENT).toBe(last())
  expect(slow.state).toMatchObject({ gaps: 0, snapshots: 2 })
  expect(slow.isGivenUp()).toBe(false)
  // The other socket's messages did not overwrite the rest of its message.
  expect([...slow.state.ids]).toEqual(['next slow'])
})

test('a socket that reads nothing for 30 s is closed, also without new updates; a socket that caught up is not', async () => {
  const { source, change, last } = numbers('x'.repeat(1_000_000))
  const [slow, quick] = [await connect('slow'), await connect('quick')]
  const group = createGroup(source, () => {})
  for (const { member } of [slow, quick]) group.join(member)
  await expect.poll(() => slow.state.at, PATIENT).toBe(1)
  vi.useFakeTimers({ toFake: ['performance'] })
  /** Sends far more than the system's buffers hold. */
  async function fallBehind() {
    slow.tcp.pause()
    for (let i = 0; i < 30; i++) {
      change()
      await expect.poll(() => quick.state.at, { ...PATIENT, interval: 1 }).toBe(last())
    }
    expect(isReady(slow.member)).toBe(false)
  }
  await fallBehind()
  vi.advanceTimersByTime(29_000)
  expect(isReady(slow.member)).toBe(false)
  expect(slow.isGivenUp()).toBe(false)
  slow.tcp.resume()
  await expect.poll(() => slow.state.at, PATIENT).toBe(last())

  await fallBehind()
  vi.advanceTimersByTime(29_000)
  expect(isReady(slow.member)).toBe(false)
  expect(slow.isGivenUp()).toBe(false)
  const closed = once(slow.socket, 'close')
  vi.advanceTimersByTime(1_001)
  await closed
  expect(slow.isGivenUp()).toBe(true)
  expect(quick.isGivenUp()).toBe(false)
  for (const { member } of [slow, quick]) group.leave(member)
})

test('a message of any length is one frame', async () => {
  for (const weight of [0, 1, 40, 60, 100, 65_000, 65_536, 70_000]) {
    const { source, change } = numbers('x'.repeat(weight))
    const peer = await connect('1')
    const group = createGroup(source, () => {})
    group.join(peer.member)
    change()
    await expect.poll(() => peer.state.at, PATIENT).toBe(2)
    group.leave(peer.member)
  }
})

test('a group ends after its last member left, and not while another member joins', async () => {
  const { source, change, last } = numbers()
  let ended = 0
  const [first, second] = [await connect('1'), await connect('2')]
  const group = createGroup(source, () => ended++)
  group.join(first.member)
  await expect.poll(() => first.state.at, PATIENT).toBe(1)
  group.leave(first.member)
  group.join(second.member)
  await sleep(200)
  change()
  await expect.poll(() => second.state.at, PATIENT).toBe(last())
  expect(first.state.at).toBe(1)
  expect(ended).toBe(0)
  group.leave(second.member)
  await expect.poll(() => ended, PATIENT).toBe(1)
})

test('a client that received a newer state elsewhere receives nothing older', async () => {
  const { source, change, last } = numbers()
  const peer = await connect('1')
  const group = createGroup(
    {
      ...source,
      atLeast:
        async () =>
        ({ to }) =>
          to >= 3,
    },
    () => {},
  )
  group.join(peer.member)
  for (let i = 0; i < 2; i++) {
    await sleep(50)
    expect(peer.state.at).toBe(0)
    change()
  }
  for (const at of [3, 4]) {
    await expect.poll(() => peer.state.at, PATIENT).toBe(at)
    change()
  }
  await expect.poll(() => peer.state.at, PATIENT).toBe(last())
  expect(peer.state).toMatchObject({ gaps: 0, snapshots: 1 })
})

/** Snapshots that are made only when the test releases them. */
function slowSnapshots(source: ReturnType<typeof numbers>['source']) {
  const waiting: (() => void)[] = []
  return {
    source: {
      ...source,
      async snapshot(value: Value) {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return source.snapshot(value)
      },
    },
    waiting: () => waiting.length,
    release() {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

/** A member without a connection, and all that it received. It is behind while `bufferedAmount` is positive. */
function member(id: string) {
  const received: string[] = []
  const socket = {
    ...{ OPEN: 1, readyState: 1, bufferedAmount: 0 },
    _sender: {
      sendFrame([frame]: [Buffer]) {
        const { from, to } = JSON.parse(String(frame.subarray(frame.indexOf('{')))).payload as Value
        received.push(from === null ? `snapshot ${to}` : `${from}-${to}`)
      },
    },
  }
  const one: Member = {
    ...{ socket: socket as unknown as WebSocket, id: quotedId(id), behindSince: undefined, at: 0 },
    ...{ isDue: undefined, giveUp() {}, end() {} },
  }
  return { one, received, socket }
}

/** The first member is at 2. The snapshot for the new member is being made. */
async function oneUpToDateAndOneWaiting() {
  const { source, change } = numbers()
  const slow = slowSnapshots(source)
  const group = createGroup(slow.source, () => {})
  const [first, newcomer] = [member('1'), member('2')]
  group.join(first.one)
  await expect.poll(slow.waiting).toBe(1)
  slow.release()
  await expect.poll(() => first.received).toEqual(['snapshot 1'])
  change()
  await expect.poll(() => first.received).toEqual(['snapshot 1', '1-2'])
  group.join(newcomer.one)
  await expect.poll(slow.waiting).toBe(1)
  return { change, slow, first, newcomer }
}

test('members that are up to date do not wait for a snapshot that others need', async () => {
  const { change, slow, first, newcomer } = await oneUpToDateAndOneWaiting()
  for (const to of [3, 4]) {
    change()
    await expect.poll(() => first.received.at(-1)).toBe(`${to - 1}-${to}`)
  }
  expect(newcomer.received).toEqual([])
  slow.release()
  await expect.poll(slow.waiting).toBe(1)
  expect(newcomer.received).toEqual(['snapshot 2'])
  slow.release()
  await expect.poll(() => newcomer.received).toEqual(['snapshot 2', 'snapshot 4'])
  change()
  await expect.poll(() => newcomer.received.at(-1)).toBe('4-5')
  expect(first.received).toEqual(['snapshot 1', '1-2', '2-3', '3-4', '4-5'])
})

test('a member that missed an update gets no snapshot from before that update', async () => {
  const { change, slow, first, newcomer } = await oneUpToDateAndOneWaiting()
  change()
  await expect.poll(() => first.received.at(-1)).toBe('2-3')
  first.socket.bufferedAmount = 1
  change()
  await expect.poll(() => first.one.at).toBe(-3)
  first.socket.bufferedAmount = 0
  slow.release()
  await expect.poll(slow.waiting).toBe(1)
  slow.release()
  await expect.poll(() => first.received.at(-1)).toBe('snapshot 4')
  await expect.poll(() => newcomer.received).toEqual(['snapshot 2', 'snapshot 4'])
  expect(first.received).toEqual(['snapshot 1', '1-2', '2-3', 'snapshot 4'])
})

test('a group without members ends, and a member that joins later is ended at once', async () => {
  const { source } = numbers()
  let ended = 0
  const group = createGroup(source, () => ended++)
  await expect.poll(() => ended, PATIENT).toBe(1)
  const { member } = await connect('1')
  let ends = 0
  group.join({ ...member, end: () => ends++ })
  expect([ends, group.size]).toEqual([1, 0])
})

test('a source that fails ends the group for all members, with the reason', async () => {
  const fault = new Error('the event is gone')
  const { source } = numbers()
  const peer = await connect('1')
  const group = createGroup({ ...source, updates: failing(fault) }, () => {})
  const reason = new Promise((resolve) => group.join({ ...peer.member, end: resolve }))
  expect(await reason).toBe(fault)
})

function failing(fault: Error): AsyncIterableIterator<Value> {
  return {
    next: async () => {
      await sleep(20)
      throw fault
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** A member whose socket notes each write in `writes` and is always ready. */
function notingMember(name: string, writes: string[]): Member {
  const socket = {
    readyState: 1,
    OPEN: 1,
    bufferedAmount: 0,
    _sender: { sendFrame: () => writes.push(name) },
  }
  return {
    ...{ socket: socket as unknown as WebSocket, id: quotedId('1'), behindSince: undefined },
    ...{ at: 0, isDue: undefined, giveUp() {}, end() {} },
  }
}

test('the groups of a hot event do not all write before the group of another event', async () => {
  const writes: string[] = []
  const groups = [...Array(20).fill('evt_crowd'), 'evt_x'].map((eventId) => {
    const { source, change } = numbers('', eventId)
    const group = createGroup(source, () => {})
    const count = eventId === 'evt_x' ? 1 : 200
    for (let i = 0; i < count; i++) group.join(notingMember(eventId, writes))
    return { change, leave: group.close }
  })
  const all = 20 * 200 + 1
  await expect.poll(() => writes.length, PATIENT).toBe(all)
  writes.length = 0
  for (const { change } of groups) change()
  await expect.poll(() => writes.length, PATIENT).toBe(all)
  expect(writes.indexOf('evt_x')).toBeLessThanOrEqual(700)
  for (const { leave } of groups) leave(undefined)
})
