/*
 * Open-loop load in a process of its own: it sends each request at its planned time, even if earlier ones have no answer.
 * The requests are spread over connections that stay open. An answer that asks for a retry is retried at that time; the
 * latency counts from the planned time of the first attempt.
 *
 *     node bench/support/openLoopProcess.ts <requests> <url> <answers>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { lengthOf } from './load.ts'
import type { Answers, OpenLoopOptions } from './openLoopLoad.ts'

const DEADLINE_MS = 120_000
/** Connections that open at the same time. */
const AT_ONCE = 200

const [file = '', url = '', out = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const requests = readRequests(readFileSync(file))

/** A connection, its unanswered requests in order, and the received part of the next answer. */
interface Connection {
  readonly socket: Socket
  readonly unanswered: number[]
  unread: Buffer
}

process.once('message', async (options: OpenLoopOptions) => {
  const connections: Connection[] = []
  while (connections.length < options.connections) {
    // Few at the same time, because the listen queue of the server is limited.
    const count = Math.min(options.connections - connections.length, AT_ONCE)
    connections.push(...(await Promise.all(Array.from({ length: count }, open))))
  }
  process.send?.('ready')
  process.once('message', () => send(options, connections))
})

function readRequests(bytes: Buffer): Buffer[] {
  const all: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    all.push(bytes.subarray(at + 4, end))
    at = end
  }
  return all
}

function open(): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () =>
      resolve({ socket, unanswered: [], unread: Buffer.alloc(0) }),
    )
    socket.once('error', reject)
    socket.once('close', () => {
      throw new Error('the server closed a connection')
    })
  })
}

function send({ perSecond, expect }: OpenLoopOptions, connections: readonly Connection[]): void {
  const expected = Buffer.from(expect)
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const answers: Answers['answers'] = new Array(requests.length)
  let next = 0
  let sent = 0
  let answered = 0
  let retries = 0
  let lastSentAt = startedAt

  for (const connection of connections) connection.socket.on('data', (data) => receive(connection, data))
  const dueAt = (no: number) => startedAt + (no * 1_000) / perSecond
  const timer = setInterval(sendDue, 1)
  const deadline = setTimeout(() => {
    throw new Error(`${requests.length - answered} requests were never answered`)
  }, DEADLINE_MS)

  function sendDue() {
    const now = performance.now()
    while (next < requests.length && dueAt(next) <= now) sendOne(next++)
    lastSentAt = now
    if (next === requests.length) clearInterval(timer)
  }

  function sendOne(no: number) {
    const connection = connections[sent++ % connections.length] as Connection
    connection.unanswered.push(no)
    connection.socket.write(requests[no] as Buffer)
  }

  function receive(connection: Connection, data: Buffer) {
    connection.unread = connection.unread.length === 0 ? data : Buffer.concat([connection.unread, data])
    for (;;) {
      const length = lengthOf(connection.unread)
      if (length === null || connection.unread.length < length) return
      take(connection.unanswered.shift() as number, connection.unread.subarray(0, length))
      connection.unread = connection.unread.subarray(length)
    }
  }

  function take(no: number, answer: Buffer) {
    const body = answer.toString('utf8', answer.indexOf('\r\n\r\n') + 4)
    const retryAfter = answer.includes(expected) ? undefined : /"retryAfterSeconds":(\d+)/.exec(body)?.[1]
    if (retryAfter !== undefined) {
      retries++
      setTimeout(sendOne, Number(retryAfter) * 1_000, no)
      return
    }
    answers[no] = { at: performance.timeOrigin + dueAt(no), ms: performance.now() - dueAt(no), body }
    if (++answered === requests.length) finish()
  }

  function finish() {
    clearTimeout(deadline)
    const seconds = (performance.now() - startedAt) / 1_000
    const { user, system } = process.cpuUsage(cpuBefore)
    const report: Answers = {
      answers,
      startedAt: performance.timeOrigin + startedAt,
      seconds,
      sentWithin: (lastSentAt - startedAt) / 1_000,
      retries,
      cpuSeconds: (user + system) / 1e6,
    }
    writeFileSync(out, JSON.stringify(report))
    process.send?.('done', () => process.exit())
  }
}
