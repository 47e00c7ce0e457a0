import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildSchema, execute, parse } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'

const SCHEMA = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8')

/** What the stand-in answers: resolvers of root fields by name, and what happens to a request before it is read. */
export interface Script {
  fields?: Record<string, (args: never, caller: Record<string, unknown>) => unknown>
  /** True: it has dealt with the request. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/**
 * A service on a port of its own that speaks the API's two protocols and does as the test says: for what a
 * client does when a service misbehaves. What it does with a service that behaves is tested against ours.
 */
export async function fakeService(script: Script, path = '/graphql') {
  const schema = buildSchema(SCHEMA)
  const requests: {
    headers: IncomingMessage['headers']
    body: { operationName: string; variables: never }
  }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = text ? JSON.parse(text) : {}
    requests.push({ headers: request.headers, body })
    if (script.before?.(request, response)) return
    const result = await execute({
      schema,
      document: parse(body.query),
      operationName: body.operationName,
      variableValues: body.variables,
      rootValue: script.fields,
      contextValue: request.headers,
    })
    response.setHeader('content-type', 'application/graphql-response+json')
    response.end(JSON.stringify(result))
  })
  let refusesSockets = false
  const sockets = new WebSocketServer({ server, path, verifyClient: () => !refusesSockets })
  const connections: Record<string, unknown>[] = []
  const live = useServer(
    {
      schema,
      roots: { subscription: script.fields },
      onConnect: ({ connectionParams }) => {
        connections.push(connectionParams ?? {})
      },
      context: ({ connectionParams }) => connectionParams,
    },
    sockets,
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await live.dispose()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** The connectionParams of every socket that was opened. */
    connections,
    refuseSockets(refuse: boolean) {
      refusesSockets = refuse
    },
    cutSockets(code = 1012) {
      for (const socket of sockets.clients) socket.close(code)
    },
  }
}

/** A stream that a test pushes to; every reader hears what is pushed while it reads. */
export function stream<T>(first: () => T[]) {
  const readers = new Set<(value: T) => void>()
  return {
    get readers() {
      return readers.size
    },
    push(value: T) {
      for (const reader of readers) reader(value)
    },
    // By hand: `return()` of a generator does not reach one that waits.
    [Symbol.asyncIterator](): AsyncIterableIterator<T> {
      const ready = first()
      let waiting: ((result: IteratorResult<T>) => void) | undefined
      const read = (value: T) => {
        if (!waiting) return void ready.push(value)
        waiting({ done: false, value })
        waiting = undefined
      }
      readers.add(read)
      return {
        [Symbol.asyncIterator]() {
          return this
        },
        next() {
          if (ready.length) return Promise.resolve({ done: false, value: ready.shift() as T })
          return new Promise((resolve) => {
            waiting = resolve
          })
        },
        return() {
          readers.delete(read)
          waiting?.({ done: true, value: undefined })
          return Promise.resolve({ done: true, value: undefined })
        },
      }
    },
  }
}
