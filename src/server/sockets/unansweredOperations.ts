import type { Peer, PendingOperation } from './peer.ts'

/** Counts the operations whose client waits for an answer: a draining server keeps a socket until it has answered. */
export interface UnansweredOperations {
  /** Queries and mutations that are not answered yet, of all sockets. */
  readonly running: number
  begin(peer: Peer, operation: PendingOperation): void
  /** Ends an operation, however it ended; without one, a subscription. */
  finish(peer: Peer, operation?: PendingOperation): void
}

/** Calls `onAnswered` whenever an operation that had to be answered has ended. */
export function createUnansweredOperations(onAnswered: (peer: Peer) => void): UnansweredOperations {
  let running = 0
  return {
    get running() {
      return running
    },
    begin(peer, operation) {
      operation.isUnanswered = true
      peer.unanswered++
      running++
    },
    finish(peer, operation) {
      peer.operations--
      if (!operation?.isUnanswered) return
      peer.unanswered--
      running--
      onAnswered(peer)
    },
  }
}
