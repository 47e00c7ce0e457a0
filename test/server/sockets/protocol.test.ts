import { setImmediate as nextRound } from 'node:timers/promises'
import { buildSchema, type ExecutionArgs, type ExecutionResult, GraphQLError, parse } from 'graphql'
import { makeServer, MessageType as WsMessageType } from 'graphql-ws'
import { expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { createMessage, quotedId } from '../../../src/server/broadcast/message.ts'
import {
  CloseCode,
  createProtocol,
  MessageType,
  type ProtocolHooks,
  type ProtocolOperation,
  type ProtocolSocket,
  readMessage,
  SOCKET_METHODS,
} from '../../../src/server/sockets/protocol.ts'
import { sourcesBelow } from '../../gates/sources.ts'

// What we rely on in graphql-ws. A test that fails after an update names the promise that protocol.ts has to keep by
// other means.

interface Operation extends ProtocolOperation {
  readonly query: string
}
type Peer = ProtocolSocket<Operation>

const schema = buildSchema('type Query { a: Int } type Subscription { a: Int }')
const QUERY = '{ a }'
const SUBSCRIPTION = 'subscription { a }'

function operation(id: string, query = QUERY): Operation {
  return { id, query, isLeft: false, ended: undefined }
}

const subscribeMessage = ({ id, query }: Operation) =>
  JSON.stringify({ type: 'subscribe', id, payload: { query } })
const completeMessage = (id: string) => JSON.stringify({ type: 'complete', id })

/** A socket whose client has greeted, and what it received. */
type Hooks = ProtocolHooks<Peer, Operation, ExecutionArgs>
/** The same hooks, with results that no pipeline has finished. */
type TestHooks = Omit<Hooks, 'run' | 'subscribe'> & { run(): unknown; subscribe(): unknown }

async function connected(hooks: Partial<TestHooks> = {}) {
  const sent: unknown[] = []
  const socket = {
    ...{ OPEN: 1, readyState: 1 },
    send(data: string, done: () => void) {
      sent.push(JSON.parse(data))
      done()
    },
    close: vi.fn(),
  }
  const protocol = createProtocol<Operation, Peer, ExecutionArgs>({
    greet: async () => true,
    prepare: (_peer, { query }) => ({ schema, document: parse(query), contextValue: {} }),
    subscribe: () => {
      throw new Error('no subscription was expected')
    },
    answered: () => {},
    shown: (errors) => errors,
    ...({ run: () => ({ data: { a: 1 } }), ...hooks } as Pick<Hooks, 'run'> & Partial<Hooks>),
  })
  const peer: Peer = {
    ...SOCKET_METHODS,
    socket: socket as unknown as WebSocket,
    protocol: 'graphql-transport-ws',
    connection: undefined,
    running: undefined,
  }
  protocol.open(peer)
  await protocol.greet(peer)
  return {
    peer,
    protocol,
    sent,
    closeCode: () => socket.close.mock.calls[0]?.[0],
    begin: (one: Operation) => protocol.begin(peer, one, subscribeMessage(one)),
    leave: (id: string) => protocol.leave(peer, id, completeMessage(id)),
  }
}

test('only protocol.ts imports graphql-ws', () => {
  const importing = sourcesBelow('src')
    .filter(({ imports }) => imports.some(({ to }) => to.startsWith('graphql-ws')))
    .map(({ path }) => path)
  expect(importing).toEqual(['src/server/sockets/protocol.ts'])
})

test('opening a socket sets its handler at once, starts no timer, and takes the payload of no greeting', async () => {
  vi.useFakeTimers()
  try {
    const { peer, sent } = await connected()
    expect(vi.getTimerCount()).toBe(0)
    expect(peer.handle).not.toBe(SOCKET_METHODS.handle)
    expect(peer.connection).toMatchObject({ acknowledged: true })
    expect(peer.connection).not.toHaveProperty('connectionParams')
    expect(sent).toEqual([{ type: 'connection_ack' }])
  } finally {
    vi.useRealTimers()
  }
})

test('a greeting that is refused closes the socket with 4403, and a second greeting with 4429', async () => {
  const refused = await connected({ greet: async () => false })
  expect(refused.closeCode()).toBe(CloseCode.Forbidden)
  const twice = await connected()
  await twice.protocol.greet(twice.peer)
  expect(twice.closeCode()).toBe(CloseCode.TooManyInitialisationRequests)
})

test('an operation gets the arguments that were prepared for its id, and ends when all of it is sent', async () => {
  const prepare = vi.fn((_peer: Peer, { query }: Operation) => ({ schema, document: parse(query) }))
  const { begin, sent, peer } = await connected({ prepare })
  const [one, two] = [operation('1'), operation('2')]
  await Promise.all([begin(one), begin(two)])
  expect(prepare.mock.calls.map(([, passed]) => passed)).toEqual([one, two])
  expect(sent.slice(1)).toEqual(
    expect.arrayContaining([
      { id: '1', type: 'next', payload: { data: { a: 1 } } },
      { id: '1', type: 'complete' },
      { id: '2', type: 'next', payload: { data: { a: 1 } } },
      { id: '2', type: 'complete' },
    ]),
  )
  expect(peer.running).toBeUndefined()
})

test('the errors of an operation that cannot run, and of a result, are shown as we show them', async () => {
  const shown = (errors: readonly GraphQLError[]) => errors.map(() => new GraphQLError('ours'))
  const unprepared = await connected({ prepare: () => [new GraphQLError('theirs')], shown })
  await unprepared.begin(operation('1'))
  expect(unprepared.sent[1]).toEqual({ id: '1', type: 'error', payload: [{ message: 'ours' }] })
  const failed = await connected({
    run: () => ({ data: { a: null }, errors: [new GraphQLError('theirs')] }),
    shown,
  })
  await failed.begin(operation('1'))
  expect(failed.sent[1]).toEqual({
    id: '1',
    type: 'next',
    payload: { data: { a: null }, errors: [{ message: 'ours' }] },
  })
})

test('the error that ends a stream comes to us as it was thrown', async () => {
  const thrown = new GraphQLError('over', { extensions: { code: 'ADMISSION_REQUIRED' } })
  const seen: GraphQLError[] = []
  const { begin } = await connected({
    async *subscribe() {
      yield { data: { a: 1 } }
      throw thrown
    },
    shown(errors) {
      seen.push(...errors)
      return errors
    },
  })
  await begin(operation('1', SUBSCRIPTION))
  expect(seen).toEqual([thrown])
  expect(seen[0]).toBe(thrown)
})

test('an operation before the greeting closes the socket with 4401, and one under an id in use with 4409', async () => {
  const early = await connected()
  early.peer.connection = undefined
  early.protocol.open(early.peer)
  await early.begin(operation('1'))
  expect(early.closeCode()).toBe(CloseCode.Unauthorized)
  const twice = await connected({ run: () => new Promise(() => {}) })
  void twice.begin(operation('1'))
  await twice.begin(operation('1'))
  expect(twice.closeCode()).toBe(CloseCode.SubscriberAlreadyExists)
})

test('an operation that was left sends nothing, and its promise settles only when it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<ExecutionResult>()
  const { begin, leave, peer, protocol, sent } = await connected({ run: () => promise })
  let hasEnded = false
  const ending = begin(operation('1')).then(() => {
    hasEnded = true
  })
  await leave('1')
  await nextRound()
  expect(hasEnded).toBe(false)
  expect(protocol.leftUnder(peer, '1')).toBeInstanceOf(Promise)
  resolve({ data: { a: 1 } })
  await ending
  expect(sent).toEqual([{ type: 'connection_ack' }])
  expect(protocol.leftUnder(peer, '1')).toBeUndefined()
})

test('leaving a subscription, and closing the socket, returns its iterator at once', async () => {
  const returned: string[] = []
  const endless = (name: string) => ({
    next: () => new Promise<never>(() => {}),
    async return() {
      returned.push(name)
      return { done: true as const, value: undefined }
    },
    throw: async () => ({ done: true as const, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
  })
  const names = ['left', 'closed']
  const { begin, leave, peer } = await connected({ subscribe: () => endless(names.shift() as string) })
  void begin(operation('1', SUBSCRIPTION))
  void begin(operation('2', SUBSCRIPTION))
  await nextRound()
  await leave('1')
  expect(returned).toEqual(['left'])
  await peer.closed(1000, '')
  expect(returned).toEqual(['left', 'closed'])
})

test('graphql-ws by itself sends the result of an operation that was left to the next one of its id', async () => {
  // The reason for `leftUnder`. Once this fails, `leftUnder` may go.
  const results = [Promise.withResolvers<ExecutionResult>(), Promise.withResolvers<ExecutionResult>()]
  const [first, second] = results as [(typeof results)[0], (typeof results)[0]]
  const waiting = [first.promise, second.promise]
  const sent: unknown[] = []
  let handle = async (_data: string) => {}
  makeServer({
    schema,
    connectionInitWaitTimeout: 0,
    execute: () => waiting.shift() as Promise<ExecutionResult>,
  }).opened(
    {
      protocol: 'graphql-transport-ws',
      send: (data) => void sent.push(JSON.parse(data)),
      close: () => {},
      onMessage: (callback) => {
        handle = callback
      },
    },
    {},
  )
  await handle(JSON.stringify({ type: 'connection_init' }))
  const left = handle(subscribeMessage(operation('1')))
  await handle(completeMessage('1'))
  const next = handle(subscribeMessage(operation('1')))
  first.resolve({ data: { a: 1 } })
  await left
  expect(sent.slice(1)).toContainEqual({ id: '1', type: 'next', payload: { data: { a: 1 } } })
  second.resolve({ data: { a: 2 } })
  await next
})

test("a server's messages, and data that is no message, are no messages of a client", () => {
  for (const type of ['connection_init', 'ping', 'pong'])
    expect(readMessage(JSON.stringify({ type }))).toEqual({ type })
  expect(readMessage(completeMessage('1'))).toEqual({ type: 'complete', id: '1' })
  for (const data of [
    '{',
    'null',
    JSON.stringify({ type: 'connection_ack' }),
    JSON.stringify({ type: 'next', id: '1', payload: { data: {} } }),
    JSON.stringify({ type: 'subscribe', id: '1' }),
    JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 7 } }),
  ])
    expect(readMessage(data), data).toBeNull()
})

test("a group's frame is a message of type next", () => {
  const frame = createMessage(Buffer.from('{}}')).frame(quotedId('1'))
  expect(JSON.parse(String(frame.subarray(2)))).toEqual({ id: '1', type: WsMessageType.Next, payload: {} })
  expect(MessageType.Next).toBe('next')
})
