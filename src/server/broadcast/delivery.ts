import type { WebSocket } from 'ws'
import { type Message, quotedId } from './message.ts'

/** Carries what a group is told to one of its sockets, under the id that the client gave its operation. */
export interface Delivery {
  /** One write. False where the socket is behind: nothing is kept for it. */
  send(message: Message): boolean
  /** False while the socket is behind; one that stays so is given up. */
  isReady(): boolean
}

/** A train leaves a tunnel; a client that takes nothing for so long finds its way back by a new socket. */
const PATIENCE_MS = 30_000

/** What `ws` keeps to itself: writes chunks that are a frame together. */
interface FrameSender {
  sendFrame(chunks: readonly Buffer[]): void
}

/** `giveUp` closes the socket. */
export function createDelivery(socket: WebSocket, id: string, giveUp: () => void): Delivery {
  const ownId = quotedId(id)
  let behindSince: number | undefined

  /** What the connection itself holds is for the system to bound; nothing is to wait in this process beside it. */
  function isReady(): boolean {
    if (socket.readyState !== socket.OPEN) return false
    if (socket.bufferedAmount === 0) {
      behindSince = undefined
      return true
    }
    behindSince ??= performance.now()
    if (performance.now() - behindSince > PATIENCE_MS) giveUp()
    return false
  }

  return {
    isReady,
    send(message) {
      if (!isReady()) return false
      // `send` writes a header and a body, by one system call for both that costs more than `write` (npm run bench -- fanout).
      const { _sender: sender } = socket as unknown as { _sender: FrameSender }
      sender.sendFrame([message.frame(ownId)])
      // Otherwise the system has taken all of it, and the next socket's is written in its place.
      if (socket.bufferedAmount > 0) message.leave()
      return true
    },
  }
}
