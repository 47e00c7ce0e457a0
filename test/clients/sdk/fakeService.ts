import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildSchema, execute, parse } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'

const SCHEMA = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8')

/** The behaviour of the fake service: resolvers of root fields by name, and a hook before each request. */
export interface Script {
  fields?: Record<string, (args: never, caller: Record<string, unknown>) => unknown>
  /** Returns true if it has handled the request. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/**
 * A fake service on its own port. It speaks both protocols of the API and behaves as the test defines, to test clients
 * with a faulty service. Other tests use the real service.
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

/** A stream for pushes of the test. Every reader gets the values that are pushed while it reads. */
export function stream<T>(first: () => T[]) {
  const readers = new Set<(value: T) => void>()
  return {
    get readers() {
      return readers.size
    },
    push(value: T) {
      for (const reader of readers) reader(value)
    },
    // Not a generator: its `return()` does not reach a reader that waits.
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
