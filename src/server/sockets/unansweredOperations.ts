import type { Peer, PendingOperation } from './peer.ts'

/** Which operations are owed an answer: nobody is sent to another server before it. */
export interface UnansweredOperations {
  /** Operations that are neither subscriptions nor answered yet. */
  readonly running: number
  begin(peer: Peer, begun: PendingOperation): void
  /** However it ended, and whether or not anybody is there to be answered. */
  finish(peer: Peer, begun: PendingOperation): void
}

/** `onAnswered` is told whenever an operation of a socket that was owed an answer has ended. */
export function createUnansweredOperations(onAnswered: (peer: Peer) => void): UnansweredOperations {
  let running = 0
  return {
    get running() {
      return running
    },
    begin(peer, begun) {
      begun.isOwed = true
      peer.owed++
      running++
    },
    finish(peer, { isOwed }) {
      peer.operations--
      if (!isOwed) return
      peer.owed--
      running--
      onAnswered(peer)
    },
  }
}
