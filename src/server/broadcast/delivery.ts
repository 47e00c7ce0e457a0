import type { WebSocket } from 'ws'
import type { Message } from './message.ts'

/**
 * A socket that receives the messages of a group, under the id of its operation. It has fields and no closures: there are
 * thousands of followers, and a closure takes as much memory as eight fields (npm run bench -- follower-memory).
 */
export interface Delivery {
  readonly socket: WebSocket
  /** As `quotedId` writes it. */
  readonly id: string
  behindSince: number | undefined
  /** Terminates a socket that has been behind for too long. */
  giveUp(socket: WebSocket): void
}

/** How long a socket may read nothing: a train leaves a tunnel in that time. Other clients reconnect. */
const PATIENCE_MS = 30_000

/** The internal sender of `ws`: it writes chunks that form a frame. */
interface FrameSender {
  sendFrame(chunks: readonly Buffer[]): void
}

/**
 * False while the socket is behind. A socket that stays behind is terminated. The system bounds what the connection buffers;
 * this process buffers nothing more for it.
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

/** Sends the message by one write. False where the socket is behind: the message is dropped. */
export function deliver(message: Message, delivery: Delivery): boolean {
  if (!isReady(delivery)) return false
  const { socket, id } = delivery
  // `send` writes header and body as two pieces, which costs more than one write (npm run bench -- fanout).
  const { _sender: sender } = socket as unknown as { _sender: FrameSender }
  sender.sendFrame([message.frame(id)])
  // Otherwise the system has copied the frame, and the next socket's frame may overwrite it.
  if (socket.bufferedAmount > 0) message.leave()
  return true
}
