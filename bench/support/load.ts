import { connect, type Socket } from 'node:net'
import { keepCoreAwake } from './keepCoreAwake.ts'
import type { Served } from './processes.ts'

export interface LoadOptions {
  readonly server: Served
  /** The bytes of the next request: see `request` and `operation`. */
  next(): Buffer
  /** The text that every answer must contain, so that a server gains nothing by refusing. */
  readonly expect: string
  /** The number of answers; large enough that the server's code is compiled and not only interpreted. */
  readonly answers: number
  /** Each connection has one open request. Default: 32. */
  readonly connections?: number
  /** See keepCoreAwake.ts. Not for servers whose database needs the core. */
  readonly keepsCoreAwake?: boolean
}

export interface Measured {
  readonly perSecond: number
  /** Answers per second of the server's processor time: its rate on a core of its own. */
  readonly perCpuSecond: number
}

/**
 * Closed-loop load: each connection sends the next request as soon as the answer has come. Throws an Error if an answer
 * lacks the expected text.
 *
 * Uses bare sockets, which cost this process a few microseconds a request. A slower client would be the bottleneck.
 */
export async function load({
  server,
  next,
  expect,
  answers,
  connections = 32,
  keepsCoreAwake = false,
}: LoadOptions): Promise<Measured> {
  const release = keepsCoreAwake ? keepCoreAwake() : () => {}
  const cpuBefore = await server.cpu()
  const startedAt = performance.now()
  let unsent = answers
  const nextOrNone = () => (unsent-- > 0 ? next() : null)
  await Promise.all(
    Array.from({ length: connections }, () => sendAll(server.url, nextOrNone, Buffer.from(expect))),
  )
  const perSecond = (1_000 * answers) / (performance.now() - startedAt)
  release()
  return { perSecond, perCpuSecond: (1_000_000 * answers) / ((await server.cpu()) - cpuBefore) }
}

/** The bytes of an HTTP request. */
export function request(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const bytes = Buffer.from(body)
  const all = { host: 'localhost', ...headers, ...(body && { 'content-length': String(bytes.length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

/** The bytes of a POST with a GraphQL operation. */
export function operation(query: string, variables: object, headers: Record<string, string> = {}): Buffer {
  const body = JSON.stringify({ query, variables })
  return request('POST', '/graphql', { 'content-type': 'application/json', ...headers }, body)
}

function sendAll(url: string, next: () => Buffer | null, expected: Buffer): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let unread = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('connect', sendNext)
    socket.on('data', (data) => {
      unread = unread.length === 0 ? data : Buffer.concat([unread, data])
      const length = lengthOf(unread)
      if (length === null || unread.length < length) return
      if (!unread.includes(expected)) return fail(unread.toString())
      unread = unread.subarray(length)
      sendNext()
    })
    function sendNext() {
      const request = next()
      if (request) return socket.write(request)
      socket.removeAllListeners('close').destroy()
      resolve()
    }
    function fail(answer: string) {
      socket.destroy()
      reject(new Error(`unexpected answer: ${answer.slice(0, 2_000)}`))
    }
  })
}

const HEAD_ENDS = Buffer.from('\r\n\r\n')
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n')

/** The length in bytes of the answer that these bytes start; null while it is unknown. */
export function lengthOf(answer: Buffer): number | null {
  const end = answer.indexOf(HEAD_ENDS)
  if (end === -1) return null
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, end)) ?? []
  if (length !== undefined) return end + HEAD_ENDS.length + Number(length)
  const last = answer.indexOf(CHUNKS_END, end)
  return last === -1 ? null : last + CHUNKS_END.length
}
