/*
 * A process of its own that sends requests, each at its time whatever became of those before it, over connections that
 * stay open, by turns. Whoever is told to come back comes back then, and the time counts from the first call.
 *
 *     node bench/support/openLoopProcess.ts <requests> <url> <answers>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { lengthOf } from './load.ts'
import type { Answers, OpenLoopOptions } from './openLoopLoad.ts'

const DEADLINE_MS = 120_000
/** Connections. */
const AT_ONCE = 200

const [file = '', url = '', out = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const requests = readRequests(readFileSync(file))

/** Of one connection: what was asked on it and is not answered, in order, and what has come of the next answer. */
interface Line {
  readonly socket: Socket
  readonly asked: number[]
  unread: Buffer
}

process.once('message', async (options: OpenLoopOptions) => {
  const lines: Line[] = []
  while (lines.length < options.connections) {
    // No more at once than a server has room for before it has accepted them.
    const count = Math.min(options.connections - lines.length, AT_ONCE)
    lines.push(...(await Promise.all(Array.from({ length: count }, open))))
  }
  process.send?.('ready')
  process.once('message', () => send(options, lines))
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

function open(): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () =>
      resolve({ socket, asked: [], unread: Buffer.alloc(0) }),
    )
    socket.once('error', reject)
    socket.once('close', () => {
      throw new Error('the server closed a connection')
    })
  })
}

function send({ perSecond, expect }: OpenLoopOptions, lines: readonly Line[]): void {
  const expected = Buffer.from(expect)
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const answers: Answers['answers'] = new Array(requests.length)
  let next = 0
  let turn = 0
  let answered = 0
  let comeBacks = 0
  let lastSentAt = startedAt

  for (const line of lines) line.socket.on('data', (data) => hear(line, data))
  const dueAt = (no: number) => startedAt + (no * 1_000) / perSecond
  const timer = setInterval(sendDue, 1)
  const deadline = setTimeout(() => {
    throw new Error(`${requests.length - answered} requests were never answered`)
  }, DEADLINE_MS)

  function sendDue() {
    const now = performance.now()
    while (next < requests.length && dueAt(next) <= now) ask(next++)
    lastSentAt = now
    if (next === requests.length) clearInterval(timer)
  }

  function ask(no: number) {
    const line = lines[turn++ % lines.length] as Line
    line.asked.push(no)
    line.socket.write(requests[no] as Buffer)
  }

  function hear(line: Line, data: Buffer) {
    line.unread = line.unread.length === 0 ? data : Buffer.concat([line.unread, data])
    for (;;) {
      const length = lengthOf(line.unread)
      if (length === null || line.unread.length < length) return
      take(line.asked.shift() as number, line.unread.subarray(0, length))
      line.unread = line.unread.subarray(length)
    }
  }

  function take(no: number, answer: Buffer) {
    const body = answer.toString('utf8', answer.indexOf('\r\n\r\n') + 4)
    const retryAfter = answer.includes(expected) ? undefined : /"retryAfterSeconds":(\d+)/.exec(body)?.[1]
    if (retryAfter !== undefined) {
      comeBacks++
      setTimeout(ask, Number(retryAfter) * 1_000, no)
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
      comeBacks,
      cpuSeconds: (user + system) / 1e6,
    }
    writeFileSync(out, JSON.stringify(report))
    process.send?.('done', () => process.exit())
  }
}
