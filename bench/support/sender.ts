/*
 * A process of its own that sends requests, each at its time whatever became of those before it, over connections that
 * stay open; one under way on each. Whoever is told to come back comes back then, and the time counts from the first call.
 *
 *     node bench/support/sender.ts <requests> <url> <answers>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { lengthOf } from './load.ts'
import type { Answers, SendOptions } from './sending.ts'

const DEADLINE_MS = 120_000

const [file = '', url = '', out = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const requests = readRequests(readFileSync(file))

process.once('message', async (options: SendOptions) => {
  const free: Socket[] = []
  await Promise.all(Array.from({ length: options.connections }, () => open(free)))
  process.send?.('ready')
  process.once('message', () => send(options, free))
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

function open(free: Socket[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => {
      free.push(socket)
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', () => {
      throw new Error('the server closed a connection')
    })
  })
}

function send({ perSecond, expect }: SendOptions, free: Socket[]): void {
  const expected = Buffer.from(expect)
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const answers: Answers['answers'] = new Array(requests.length)
  const again: number[] = []
  let next = 0
  let answered = 0
  let comeBacks = 0
  let lastSentAt = startedAt

  const dueAt = (no: number) => startedAt + (no * 1_000) / perSecond
  const timer = setInterval(sendDue, 1)
  const deadline = setTimeout(() => {
    throw new Error(`${requests.length - answered} requests were never answered`)
  }, DEADLINE_MS)

  function sendDue() {
    const now = performance.now()
    for (let socket = free.at(-1); socket; socket = free.at(-1)) {
      const no = again.pop() ?? (next < requests.length && dueAt(next) <= now ? next++ : undefined)
      if (no === undefined) return
      free.pop()
      lastSentAt = now
      ask(socket, no)
    }
  }

  function ask(socket: Socket, no: number) {
    let unread: Buffer = Buffer.alloc(0)
    socket.removeAllListeners('data')
    socket.on('data', (data) => {
      unread = unread.length === 0 ? data : Buffer.concat([unread, data])
      const length = lengthOf(unread)
      if (length === null || unread.length < length) return
      socket.removeAllListeners('data')
      free.push(socket)
      const body = unread.toString('utf8', unread.indexOf('\r\n\r\n') + 4)
      const retryAfter = unread.includes(expected) ? undefined : /"retryAfterSeconds":(\d+)/.exec(body)?.[1]
      if (retryAfter !== undefined) {
        comeBacks++
        setTimeout(() => again.push(no), Number(retryAfter) * 1_000)
      } else {
        const now = performance.now()
        answers[no] = { at: performance.timeOrigin + dueAt(no), ms: now - dueAt(no), body }
        if (++answered === requests.length) finish()
      }
      sendDue()
    })
    socket.write(requests[no] as Buffer)
  }

  function finish() {
    clearInterval(timer)
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
