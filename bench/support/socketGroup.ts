import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Many WebSocket clients that count their messages. */
export interface SocketGroup {
  /** Messages that all sockets together have received. */
  readonly received: number
  /** The time of the last message, by performance.now(). */
  readonly lastAt: number
  /** Waits for this total of messages. Throws an Error if none comes for ten seconds. */
  until(count: number): Promise<void>
  /** Waits until no message has come for this time. Default: one second. */
  silence(ms?: number): Promise<void>
  /** The payload of the last message of the first socket. */
  readonly payload: string
  close(): void
}

const AT_ONCE = 100
const TIMEOUT_MS = 10_000
const SILENCE_MS = 1_000

/**
 * Opens `size` sockets. Each one sends `messages`, or the messages that the function returns for its number. `onMessage` is
 * called with the time, the number of the socket and the data of each message.
 */
export async function openSocketGroup(
  url: string,
  size: number,
  messages: readonly object[] | ((no: number) => readonly object[]),
  onMessage: (at: number, no: number, data: Buffer) => void = () => {},
  connectionParams: object = {},
): Promise<SocketGroup> {
  const sockets: WebSocket[] = []
  let received = 0
  let lastAt = 0
  let lastMessage = ''

  async function open(no: number): Promise<void> {
    const own = typeof messages === 'function' ? messages(no) : messages
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      perMessageDeflate: false,
      skipUTF8Validation: true,
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    if (own.length > 0) {
      socket.send(JSON.stringify({ type: 'connection_init', payload: connectionParams }))
      const closed = once(socket, 'close').then(() => null)
      // On a busy machine the server may close the socket before the connection_init arrives. Then retry.
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
      const startedAt = performance.now()
      while (received < count) {
        if (performance.now() - Math.max(lastAt, startedAt) > TIMEOUT_MS)
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
