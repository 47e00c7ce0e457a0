import { connect, type Socket } from 'node:net'
import { keepCoreAwake } from './keepCoreAwake.ts'
import type { Served } from './processes.ts'

export interface LoadOptions {
  readonly server: Served
  /** The next request, whole, as it goes over the wire: see `post` and `get`. */
  next(): Buffer
  /** What every answer must hold: a server that refuses is no faster for it. */
  readonly expect: string
  /** How many; enough of them that the server's code is compiled and not only interpreted. */
  readonly answers: number
  /** Each has one request under way. Default: 32. */
  readonly connections?: number
  /** See keepCoreAwake.ts. Not where a database needs the core. */
  readonly keepsCoreAwake?: boolean
}

export interface Measured {
  readonly perSecond: number
  /** A second of the server's own processor time: what it would answer in a second on a core that it has to itself. */
  readonly perCpuSecond: number
}

/**
 * Asks a server again as soon as it has answered, on each connection. Throws where an answer lacks what it must hold.
 *
 * On bare sockets, which cost this process a few microseconds a request: a client that takes longer over one than the
 * server does would be what is measured.
 */
export async function load({
  server,
  next,
  expect,
  answers,
  connections = 32,
  keepsCoreAwake = false,
}: LoadOptions): Promise<Measured> {
  const rest = keepsCoreAwake ? keepCoreAwake() : () => {}
  const cpuBefore = await server.cpu()
  const startedAt = performance.now()
  let unasked = answers
  const nextOrNone = () => (unasked-- > 0 ? next() : null)
  await Promise.all(
    Array.from({ length: connections }, () => ask(server.url, nextOrNone, Buffer.from(expect))),
  )
  const perSecond = (1_000 * answers) / (performance.now() - startedAt)
  rest()
  return { perSecond, perCpuSecond: (1_000_000 * answers) / ((await server.cpu()) - cpuBefore) }
}

/** A request of this method with these headers, as it goes over the wire. */
export function request(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const bytes = Buffer.from(body)
  const all = { host: 'localhost', ...headers, ...(body && { 'content-length': String(bytes.length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

/** An operation, posted as clients post it. */
export function operation(query: string, variables: object, headers: Record<string, string> = {}): Buffer {
  const body = JSON.stringify({ query, variables })
  return request('POST', '/graphql', { 'content-type': 'application/json', ...headers }, body)
}

function ask(url: string, next: () => Buffer | null, expected: Buffer): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let unread = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('connect', askNext)
    socket.on('data', (data) => {
      unread = unread.length === 0 ? data : Buffer.concat([unread, data])
      const length = lengthOf(unread)
      if (length === null || unread.length < length) return
      if (!unread.includes(expected)) return fail(unread.toString())
      unread = unread.subarray(length)
      askNext()
    })
    function askNext() {
      const request = next()
      if (request) return socket.write(request)
      socket.removeAllListeners('close').destroy()
      resolve()
    }
    function fail(answer: string) {
      socket.destroy()
      reject(new Error(`not what was asked for: ${answer.slice(0, 2_000)}`))
    }
  })
}

const HEAD_ENDS = Buffer.from('\r\n\r\n')
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n')

/** Bytes of the answer that these begin, once they tell. */
export function lengthOf(answer: Buffer): number | null {
  const end = answer.indexOf(HEAD_ENDS)
  if (end === -1) return null
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, end)) ?? []
  if (length !== undefined) return end + HEAD_ENDS.length + Number(length)
  const last = answer.indexOf(CHUNKS_END, end)
  return last === -1 ? null : last + CHUNKS_END.length
}
