import type { WebSocket } from 'ws'
import type { Message } from './message.ts'

/**
 * A socket that is told what a group tells, under the id that the client gave its operation. Data alone, as all that is
 * kept of a follower: there are thousands, and a closure weighs as much as eight fields (npm run bench -- follower-memory).
 */
export interface Delivery {
  readonly socket: WebSocket
  /** As `quotedId` writes it. */
  readonly id: string
  behindSince: number | undefined
  /** Closes a socket that has been behind for too long. */
  giveUp(socket: WebSocket): void
}

/** A train leaves a tunnel; a client that takes nothing for so long finds its way back by a new socket. */
const PATIENCE_MS = 30_000

/** What `ws` keeps to itself: writes chunks that are a frame together. */
interface FrameSender {
  sendFrame(chunks: readonly Buffer[]): void
}

/**
 * False while the socket is behind; one that stays so is given up. What the connection itself holds is for the system to
 * bound; nothing is to wait in this process beside it.
 */
export function isReady(delivery: Delivery): boolean {
  const { socket } = delivery
  if (socket.readyState !== socket.OPEN) return false
  if (socket.bufferedAmount === 0) {
    delivery.behindSince = undefined
    return true
  }
  delivery.behindSince ??= performance.now()
  if (performance.now() - delivery.behindSince > PATIENCE_MS) delivery.giveUp(socket)
  return false
}

/** One write. False where the socket is behind: nothing is kept for it. */
export function deliver(message: Message, delivery: Delivery): boolean {
  if (!isReady(delivery)) return false
  const { socket, id } = delivery
  // `send` writes a header and a body, by one system call for both that costs more than `write` (npm run bench -- fanout).
  const { _sender: sender } = socket as unknown as { _sender: FrameSender }
  sender.sendFrame([message.frame(id)])
  // Otherwise the system has taken all of it, and the next socket's is written in its place.
  if (socket.bufferedAmount > 0) message.leave()
  return true
}
