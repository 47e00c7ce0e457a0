import { MessageType } from 'graphql-ws'
import type { WebSocket } from 'ws'

/** Carries what a group is told to one of its sockets, under the id that the client gave its operation. */
export interface Delivery {
  /** One write. False where the socket is behind: nothing is kept for it. */
  send(payload: Buffer): boolean
  /** False while the socket is behind; one that stays so is given up. */
  isReady(): boolean
}

/** What may wait in this process for one socket, beside what its connection holds: some snapshots of a large section. */
const LARGEST_BACKLOG = 64 * 1_024
/** A train leaves a tunnel; a client that takes nothing for so long finds its way back by a new socket. */
const PATIENCE_MS = 30_000

const TEXT = { binary: false }
const END = Buffer.from('}')

/** `giveUp` closes the socket. */
export function createDelivery(socket: WebSocket, id: string, giveUp: () => void): Delivery {
  // The payload comes last, so that everything but this is the same for all.
  const start = Buffer.from(`{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`)
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
      socket.send(Buffer.concat([start, payload, END]), TEXT)
      return true
    },
  }
}
