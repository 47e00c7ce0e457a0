import type { WebSocket } from 'ws'
import { BODY_BUDGET, type BodyBudgetLimits } from '../http/limits/bodyBudget.ts'
import type { Peer } from './peer.ts'

/** The parts of `ws` that hold a message until it is whole. */
interface Receiver {
  /** Bytes of the frame that arrives. */
  readonly _bufferedBytes: number
  /** Bytes of the earlier frames of the message. */
  readonly _messageLength: number
}

interface Unfinished {
  readonly peer: Peer
  readonly bytes: number
}

/**
 * Bounds the bytes of messages that have not arrived whole, by the budget of HTTP bodies. A message counts in the allowance of
 * its socket only when it is whole, and `ws` keeps its bytes until then.
 *
 * @param addressOf null for a socket that counts only in all
 * @param giveUp ends the socket: those with the most bytes first
 */
export function createUnfinishedMessages(
  addressOf: (peer: Peer) => string | null,
  giveUp: (peer: Peer) => void,
  { freeBytes, others: { perSender, inAll } }: BodyBudgetLimits = BODY_BUDGET,
) {
  /** Returns the messages that stay. */
  function keepWithin(messages: Unfinished[], limit: number): Unfinished[] {
    let sum = messages.reduce((bytes, message) => bytes + message.bytes, 0)
    if (sum <= limit) return messages
    messages.sort((a, b) => b.bytes - a.bytes)
    let ended = 0
    for (; sum > limit; ended++) {
      const { peer, bytes } = messages[ended] as Unfinished
      sum -= bytes
      giveUp(peer)
    }
    return messages.slice(ended)
  }

  return {
    /** To be called once a second. */
    check(peers: Iterable<Peer>): void {
      const byAddress = new Map<string | null, Unfinished[]>()
      for (const peer of peers) {
        const bytes = unfinishedBytes(peer.socket) - freeBytes
        if (bytes <= 0) continue
        const address = addressOf(peer)
        const messages = byAddress.get(address) ?? []
        messages.push({ peer, bytes })
        byAddress.set(address, messages)
      }
      const left = [...byAddress].flatMap(([address, messages]) =>
        address === null ? messages : keepWithin(messages, perSender),
      )
      keepWithin(left, inAll)
    },
  }
}

function unfinishedBytes(socket: WebSocket): number {
  const receiver = (socket as unknown as { readonly _receiver: Receiver | null })._receiver
  return receiver ? receiver._bufferedBytes + receiver._messageLength : 0
}
