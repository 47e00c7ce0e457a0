import type { Solve } from './challenge/challenge.ts'
import {
  JoinQueueDocument,
  LeaveQueueDocument,
  QueuePositionDocument,
  QueuePositionUpdatedDocument,
} from './generated/operations.ts'
import type { Session } from './session.ts'
import type { Connections } from './transport/connections.ts'
import { ApiError } from './transport/errors.ts'
import { firstOf } from './transport/firstOf.ts'
import type { Socket } from './transport/socket.ts'
import { subscribeOrPoll, type Transport } from './transport/subscribeOrPoll.ts'
import type { JoinResult, QueuePosition } from './types.ts'

/** The place of one account and device in the line of a sale. It stores the tokens in the session. */
export interface WaitingRoom {
  /**
   * Joins the line. An account that joins again gets the same place. If the sale requires a challenge, `join` solves it
   * and sends the answer, which takes some seconds. It returns ChallengeRequired only if it cannot solve the challenge.
   */
  join(eventId: string, more?: JoinOptions): Promise<JoinResult>
  /** Stores the tokens of a position that another request returned. */
  keep(position: QueuePosition): void
  /**
   * Watches the place in the session. Reading the position of a called place starts the admission. `failed` is called
   * if the API refuses; an invalid place is then deleted from the session.
   */
  watch(next: (position: QueuePosition) => void, failed: (error: unknown) => void, by?: Transport): () => void
  /**
   * Waits until the wait is over, and returns the position then: ADMITTED, or OPEN where the waiting room was turned off; or
   * LAPSED, FINISHED, SOLD_OUT or ENDED. `waiting` is called with each earlier position. Rejects as `watch` fails.
   */
  wait(waiting?: (position: QueuePosition) => void, signal?: AbortSignal): Promise<QueuePosition>
  /** Gives up the place or the admission. Returns null if the session has none. */
  leave(): Promise<QueuePosition | null>
}

export interface JoinOptions {
  /** Moves the place from another device to this one. */
  moveHere?: boolean
  /** Called with true when the work on a challenge starts, and with false when it ends. */
  checking?: (isChecking: boolean) => void
  signal?: AbortSignal
}

interface Deps extends Connections {
  /** The socket to the servers that sell. It is another one if the waiting room has its own servers. */
  booking: Pick<Socket, 'renew'>
  session: Session
  solve: Solve
}

/** An answer can be too late because the device slept. Two late answers in a row have another cause. */
const MOST_CHALLENGES = 2

export function createWaitingRoom({ client, socket, booking, session, clock, solve }: Deps): WaitingRoom {
  function keep(position: QueuePosition) {
    clock.sync(position.asOf)
    session.queueToken = position.queueToken
    session.admissionToken = position.admission?.token ?? null
  }

  function forget() {
    session.queueToken = null
    session.admissionToken = null
  }

  function watch(next: (position: QueuePosition) => void, failed: (error: unknown) => void, by?: Transport) {
    const token = () => ({ queueToken: session.queueToken ?? '' })
    return subscribeOrPoll({
      socket,
      by,
      operation: QueuePositionUpdatedDocument,
      variables: token,
      next({ queuePosition: position }) {
        keep(position)
        if (position.admission) {
          socket.admit(position.admission.token)
          booking.renew()
        }
        next(position)
      },
      async poll(signal) {
        const { queuePosition: position } = await client.request(QueuePositionDocument, token(), { signal })
        keep(position)
        socket.renew()
        if (position.admission) booking.renew()
        next(position)
        return position.pollAfterSeconds
      },
      failed(error) {
        if (error instanceof ApiError && error.code === 'QUEUE_TOKEN_INVALID') forget()
        failed(error)
      },
    })
  }

  return {
    async join(eventId, { moveHere, checking, signal } = {}) {
      let challenge: string | null = null
      for (let solved = 0; ; solved++) {
        const input = { eventId, ...(moveHere && { moveHere }), ...(challenge && { challenge }) }
        const { joinQueue: result } = await client.request(JoinQueueDocument, { input }, { signal })
        if (result.__typename === 'QueuePosition') keep(result)
        if (result.__typename !== 'ChallengeRequired' || solved === MOST_CHALLENGES) return result
        checking?.(true)
        try {
          challenge = await solve(result.challenge as { kind?: string }, signal)
        } finally {
          checking?.(false)
        }
        if (!challenge) return result
      }
    },
    keep,
    watch,
    wait(waiting, signal) {
      const pick = (position: QueuePosition) => {
        if (position.state !== 'PRE_QUEUE' && position.state !== 'WAITING') return position
        waiting?.(position)
      }
      return firstOf(watch, pick, signal)
    },
    async leave() {
      if (!session.queueToken) return null
      const { leaveQueue: position } = await client.request(LeaveQueueDocument, {
        input: { queueToken: session.queueToken },
      })
      forget()
      return position
    },
  }
}
