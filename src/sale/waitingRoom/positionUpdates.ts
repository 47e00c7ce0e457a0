import type { BatchedWork } from '../../async/eventLoop.ts'
import { liveValue } from '../../async/liveValue.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { Fault } from '../faults.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { QueueClaims } from '../tokens/tokens.ts'
import { isCalled, type PositionView, type QueueState, roughWait, updateEveryMs } from './position.ts'

/** A hold in another process may extend an admission at any time, and a purchase may end it. */
const LOOK_INSIDE_MS = 10_000
/** The place is over: the socket gets no more updates. */
const LAST_STATES: ReadonlySet<QueueState> = new Set(['LAPSED', 'FINISHED', 'REPLACED', 'ENDED'])

/** The updates of one socket: see WaitingRoom.positionUpdates. `read` returns the current position. */
export function positionUpdates(
  { rooms, sales, batchedWork }: { rooms: Rooms; sales: Sales; batchedWork: BatchedWork },
  { eventId, arrival }: QueueClaims,
  read: () => MaybePromise<PositionView>,
): AsyncIterableIterator<PositionView> {
  let last: PositionView | undefined
  let dueAt = 0

  function isCalledSince(): boolean {
    const room = rooms.known(eventId)
    return last?.state === 'WAITING' && last.turnEndsAt === null && room !== null && isCalled(room, arrival)
  }

  return liveValue({
    listen(wake) {
      const wakeInBatch = () => batchedWork.schedule(eventId, wake)
      const stopSale = sales.onChange(eventId, wakeInBatch)
      const stopRoom = rooms.onNews(eventId, (news) => {
        if (news === 'all' || performance.now() >= dueAt || isCalledSince()) wakeInBatch()
      })
      const stopPlace = rooms.onPlace(eventId, arrival, wake)
      return () => {
        stopSale()
        stopRoom()
        stopPlace()
      }
    },
    async read() {
      try {
        const now = await read()
        // The sale has opened, and the draw is under way: only its place is worth a message.
        const isSame = now.state === 'PRE_QUEUE' && last?.state === 'PRE_QUEUE' && now.paused === last.paused
        if (isSame && performance.now() < dueAt) return undefined
        last = now
      } catch (error) {
        // A passing fault of ours does not end a subscription that has sent something already: the next wake tries again.
        if (!last || (error instanceof Fault && error.code === 'QUEUE_TOKEN_INVALID')) throw error
        return undefined
      } finally {
        if (last) dueAt = performance.now() + nextUpdateMs(last)
      }
      return last
    },
    isLast: ({ state }) => LAST_STATES.has(state),
    backstopMs: () => (last ? Math.min(nextUpdateMs(last) + 1_000, msToEnd(last)) : 1_000),
  })

  /** A little less than whole seconds, so that an update is due when its tick comes. */
  function nextUpdateMs({ place, state, turnEndsAt }: PositionView): number {
    if (state === 'ADMITTED' || turnEndsAt) return LOOK_INSIDE_MS
    const room = rooms.known(eventId)
    const wait = state === 'WAITING' && room && place !== null ? roughWait(room, place) : null
    return updateEveryMs(wait) - 200
  }
}

function msToEnd({ admission, turnEndsAt, asOf }: PositionView): number {
  const end = admission?.expiresAt ?? turnEndsAt
  return end ? Math.max(100, end.getTime() - asOf.getTime()) : Number.POSITIVE_INFINITY
}
