import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { cleanUp } from '../cleanUp.ts'
import type { FaultList } from './faults.ts'

export interface FakeRequest {
  method: string
  path: string
  query: URLSearchParams
  body: string
  headers: IncomingMessage['headers']
}

export interface FakeReply {
  status: number
  headers?: Record<string, string>
  body: unknown
}

export interface FakeServerOptions {
  faults: FaultList
  contentType: string
  /** The provider's work and its answer. It fails with the provider's own error 500 where the fault says so. */
  handle(request: FakeRequest, failing: 'before' | 'after' | null): Promise<FakeReply>
  /** The provider's answer beyond its limit. */
  limit: FakeReply
}

/** A provider's HTTP server at an address of its own, until the test or the file ends. Returns its address. */
export async function serveProvider(options: FakeServerOptions): Promise<string> {
  const { faults } = options
  const server = createServer(async (incoming, outgoing) => {
    try {
      await answer(incoming, outgoing)
    } catch (error) {
      outgoing.writeHead(500, { 'content-type': 'text/plain' }).end(String((error as Error).stack))
    }
  })

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse) {
    const url = new URL(incoming.url ?? '/', 'http://provider')
    const request: FakeRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: await text(incoming),
      headers: incoming.headers,
    }
    const name = `${request.method} ${request.path}`
    const fault = faults.of(name)
    if (fault === 'lost before') return void outgoing.destroy()
    if (fault === 'limit') return send(outgoing, options.limit)
    const failing = fault === 'error before' ? 'before' : fault === 'error after' ? 'after' : null
    const reply = await options.handle(request, failing)
    await faults.wait(name, 'after')
    if (fault === 'silent') return
    if (fault === 'lost after') return void outgoing.destroy()
    send(outgoing, reply)
  }

  function send(outgoing: ServerResponse, { status, headers, body }: FakeReply) {
    outgoing.writeHead(status, { 'content-type': options.contentType, ...headers })
    outgoing.end(body === null ? undefined : JSON.stringify(body))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
