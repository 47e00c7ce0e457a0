import { MessageType } from 'graphql-ws'
import type { WebSocket } from 'ws'

/** Carries what a group is told to one of its sockets, under the id that the client gave its operation. */
export interface Delivery {
  /** One write of a payload that ends its message. False where the socket is behind: nothing is kept for it. */
  send(payload: Buffer): boolean
  /** False while the socket is behind; one that stays so is given up. */
  isReady(): boolean
}

/** What may wait in this process for one socket, beside what its connection holds: some snapshots of a large section. */
const LARGEST_BACKLOG = 64 * 1_024
/** A train leaves a tunnel; a client that takes nothing for so long finds its way back by a new socket. */
const PATIENCE_MS = 30_000

/** What `ws` keeps to itself: writes chunks that are a frame together. */
interface FrameSender {
  sendFrame(chunks: readonly Buffer[]): void
}

/** `giveUp` closes the socket. */
export function createDelivery(socket: WebSocket, id: string, giveUp: () => void): Delivery {
  // The payload comes last, so that everything but this is the same for all.
  const start = Buffer.from(`{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`)
  const { _sender: sender } = socket as unknown as { _sender: FrameSender }
  let behindSince: number | undefined

  function isReady(): boolean {
    if (socket.readyState !== socket.OPEN) return false
    if (socket.bufferedAmount <= LARGEST_BACKLOG) {
      behindSince = undefined
      return true
    }
    behindSince ??= performance.now()
    if (performance.now() - behindSince > PATIENCE_MS) giveUp()
    return false
  }

  return {
    isReady,
    send(payload) {
      if (!isReady()) return false
      // `send` takes a message in one piece, which every socket would need a copy of (npm run bench -- fanout).
      sender.sendFrame([frameStart(start, payload.length), payload])
      return true
    },
  }
}

const FINAL_TEXT = 0x81

/** The header of a text frame (RFC 6455, section 5.2) and the first bytes in it; `more` bytes follow. */
function frameStart(first: Buffer, more: number): Buffer {
  const length = first.length + more
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const bytes = Buffer.allocUnsafe(header + first.length)
  bytes[0] = FINAL_TEXT
  if (header === 2) bytes[1] = length
  else if (header === 4) {
    bytes[1] = 126
    bytes.writeUInt16BE(length, 2)
  } else {
    bytes[1] = 127
    bytes.writeBigUInt64BE(BigInt(length), 2)
  }
  bytes.set(first, header)
  return bytes
}
