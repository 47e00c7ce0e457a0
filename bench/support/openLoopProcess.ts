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
/** Requests of a crowd under way on a connection: the server closes one that has more than 32. */
const MOST_OF_CROWD = 30

const [file = '', url = '', out = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const requests = readRequests(readFileSync(file))

/** A connection, its unanswered requests in order, and the received part of the next answer. */
interface Connection {
  socket: Socket
  readonly unanswered: number[]
  unread: Buffer
}

process.once('message', (options: OpenLoopOptions) => {
  process.send?.('ready')
  // The server closes a connection that sends nothing for ten seconds, so they open only now.
  process.once('message', async () => send(options, await openAll(options.connections)))
})

async function openAll(count: number): Promise<Connection[]> {
  const connections: Connection[] = []
  while (connections.length < count) {
    // Few at the same time, because the listen queue of the server is limited.
    const more = Math.min(count - connections.length, AT_ONCE)
    for (const socket of await Promise.all(Array.from({ length: more }, open)))
      connections.push({ socket, unanswered: [], unread: Buffer.alloc(0) })
  }
  return connections
}

function readRequests(bytes: Buffer): Buffer[] {
  const all: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    all.push(bytes.subarray(at + 4, end))
    at = end
  }
  return all
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

function send(
  { perSecond, expect, isCrowd = false }: OpenLoopOptions,
  connections: readonly Connection[],
): void {
  const expected = Buffer.from(expect)
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const answers: Answers['answers'] = new Array(requests.length)
  let next = 0
  let sent = 0
  let answered = 0
  let retries = 0
  let lastSentAt = startedAt

  for (const connection of connections) attach(connection)
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
    const isFull = connection.unanswered.length >= MOST_OF_CROWD || connection.socket.destroyed
    if (isCrowd && isFull) return answer(no, '')
    connection.unanswered.push(no)
    connection.socket.write(requests[no] as Buffer)
  }

  function attach(connection: Connection) {
    connection.socket.on('data', (data) => receive(connection, data))
    connection.socket.once('close', () => {
      if (!isCrowd) throw new Error('the server closed a connection')
      for (const no of connection.unanswered.splice(0)) answer(no, '')
      connection.unread = Buffer.alloc(0)
      void open().then((socket) => {
        connection.socket = socket
        attach(connection)
      })
    })
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

  function take(no: number, bytes: Buffer) {
    const body = bytes.toString('utf8', bytes.indexOf('\r\n\r\n') + 4)
    const retryAfter = bytes.includes(expected) ? undefined : /"retryAfterSeconds":(\d+)/.exec(body)?.[1]
    if (retryAfter !== undefined) {
      retries++
      setTimeout(sendOne, Number(retryAfter) * 1_000, no)
      return
    }
    answer(no, body)
  }

  function answer(no: number, body: string) {
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
