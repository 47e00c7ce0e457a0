import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface SocketGroup {
  /** Messages that all of them together have had. */
  readonly received: number
  /** When, by performance.now(), the last message came. */
  readonly lastAt: number
  /** Waits until so many have come. Throws where none comes for ten seconds. */
  until(count: number): Promise<void>
  /** Waits until they have heard nothing for so long. Default: a second. */
  silence(ms?: number): Promise<void>
  /** Of one of them: the last message but its envelope. */
  readonly payload: string
  close(): void
}

const AT_ONCE = 100
const PATIENCE_MS = 10_000
const SILENCE_MS = 1_000

/**
 * Opens sockets and has each say `words`, or its own; they count what they hear. `onMessage` is told when each message
 * comes, to which of them, and what it is.
 */
export async function openSocketGroup(
  url: string,
  size: number,
  words: readonly object[] | ((no: number) => readonly object[]),
  onMessage: (at: number, no: number, data: Buffer) => void = () => {},
  connectionParams: object = {},
): Promise<SocketGroup> {
  const sockets: WebSocket[] = []
  let received = 0
  let lastAt = 0
  let lastMessage = ''

  async function open(no: number): Promise<void> {
    const own = typeof words === 'function' ? words(no) : words
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      perMessageDeflate: false,
      skipUTF8Validation: true,
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    if (own.length > 0) {
      socket.send(JSON.stringify({ type: 'connection_init', payload: connectionParams }))
      const closed = once(socket, 'close').then(() => null)
      // A machine that is too busy misses the time in which the server wants to be greeted.
      if ((await Promise.race([once(socket, 'message'), closed])) === null) return open(no)
    }
    socket.on('message', (data: Buffer) => {
      received++
      lastAt = performance.now()
      onMessage(lastAt, no, data)
      if (socket === sockets[0]) lastMessage = data.toString()
    })
    for (const message of own) socket.send(JSON.stringify(message))
    sockets.push(socket)
  }

  for (let from = 0; from < size; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, size - from) }, (_, i) => open(from + i)))
  return {
    get received() {
      return received
    },
    get lastAt() {
      return lastAt
    },
    get payload() {
      return JSON.stringify(JSON.parse(lastMessage).payload)
    },
    async until(count) {
      const patience = performance.now()
      while (received < count) {
        if (performance.now() - Math.max(lastAt, patience) > PATIENCE_MS)
          throw new Error(`${received} messages of ${count} came`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async silence(ms = SILENCE_MS) {
      const from = performance.now()
      while (performance.now() - Math.max(from, lastAt) < ms)
        await new Promise((resolve) => setTimeout(resolve, 50))
    },
    close() {
      for (const socket of sockets) socket.terminate()
    },
  }
}
