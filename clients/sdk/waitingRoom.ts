import type { Solve } from './challenge.ts'
import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { ApiError } from './errors.ts'
import { type FollowBy, follow } from './follow.ts'
import type { Live } from './live.ts'
import { joinQueue, leaveQueue, readPosition, watchPosition } from './operations.ts'
import type { JoinResult, QueuePosition } from './schema.ts'
import type { Session } from './session.ts'

/** The line of one sale, seen from one account on one device. What it learns it keeps in the session. */
export interface WaitingRoom {
  /**
   * The same account gets the same place however often it joins. Where the sale asks for proof that no script joins, it
   * is found and sent, which takes some seconds; ChallengeRequired comes back only where it cannot be found.
   */
  join(eventId: string, more?: JoinOptions): Promise<JoinResult>
  /** Takes in a position that was read with something else. */
  keep(position: QueuePosition): void
  /**
   * Hears of every change of the place in the session; reading it when the turn has come takes the turn.
   * `failed`: the API refuses; a place that is not valid any more is dropped from the session.
   */
  watch(next: (position: QueuePosition) => void, failed: (error: unknown) => void, by?: FollowBy): () => void
  /** Gives back the place, or the admission; nothing where there is none. */
  leave(): Promise<QueuePosition | null>
}

export interface JoinOptions {
  /** Takes the place from another device. */
  moveHere?: boolean
  /** Called with true when a challenge begins to be solved, and with false once it is. */
  checking?: (isChecking: boolean) => void
  signal?: AbortSignal
}

interface Deps {
  client: Client
  live: Live
  /** The socket of everything behind the line, which may be another one. */
  booking: Pick<Live, 'renew'>
  session: Session
  clock: Clock
  solve: Solve
}

/** An answer comes too late where the device slept meanwhile; a second one in a row is no accident. */
const MOST_CHALLENGES = 2

export function createWaitingRoom({ client, live, booking, session, clock, solve }: Deps): WaitingRoom {
  function keep(position: QueuePosition) {
    clock.hear(position.asOf)
    session.queueToken = position.queueToken
    session.admissionToken = position.admission?.token ?? null
  }

  function forget() {
    session.queueToken = null
    session.admissionToken = null
  }

  return {
    async join(eventId, { moveHere, checking, signal } = {}) {
      let challenge: string | null = null
      for (let solved = 0; ; solved++) {
        const input = { eventId, ...(moveHere && { moveHere }), ...(challenge && { challenge }) }
        const { joinQueue: result } = await client.request(joinQueue, { input }, { signal })
        if (result.__typename === 'QueuePosition') keep(result)
        if (result.__typename !== 'ChallengeRequired' || solved === MOST_CHALLENGES) return result
        checking?.(true)
        try {
          challenge = await solve(result.challenge, signal)
        } finally {
          checking?.(false)
        }
        if (!challenge) return result
      }
    },
    keep,
    watch(next, failed, by) {
      const token = () => ({ queueToken: session.queueToken ?? '' })
      return follow({
        live,
        by,
        operation: watchPosition,
        variables: token,
        next({ queuePosition: position }) {
          keep(position)
          if (position.admission) {
            live.admit(position.admission.token)
            booking.renew()
          }
          next(position)
        },
        async ask(signal) {
          const { queuePosition: position } = await client.request(readPosition, token(), { signal })
          keep(position)
          live.renew()
          if (position.admission) booking.renew()
          next(position)
          return position.pollAfterSeconds
        },
        failed(error) {
          if (error instanceof ApiError && error.code === 'QUEUE_TOKEN_INVALID') forget()
          failed(error)
        },
      })
    },
    async leave() {
      if (!session.queueToken) return null
      const { leaveQueue: position } = await client.request(leaveQueue, {
        input: { queueToken: session.queueToken },
      })
      forget()
      return position
    },
  }
}
