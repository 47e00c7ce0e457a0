import type { BatchedWork } from '../../async/eventLoop.ts'
import { liveValue } from '../../async/liveValue.ts'
import { Fault } from '../faults.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { QueueClaims } from '../tokens/tokens.ts'
import { isCalled, type PositionView, type QueueState, roughWait, updateEveryMs } from './position.ts'

/** An admission may be stretched by a hold or ended by a purchase at any time, in another process. */
const LOOK_INSIDE_MS = 10_000
/** Over: a socket hears nothing more. */
const LAST_STATES: ReadonlySet<QueueState> = new Set(['LAPSED', 'FINISHED', 'ENDED'])

/** What one socket hears of its place: see WaitingRoom.positionUpdates. `read` gives the position as it is now. */
export function positionUpdates(
  { rooms, sales, turns }: { rooms: Rooms; sales: Sales; turns: BatchedWork },
  { eventId, arrival }: QueueClaims,
  read: () => Promise<PositionView>,
): AsyncIterableIterator<PositionView> {
  let last: PositionView | undefined
  let dueAt = 0

  function hasComeUp(): boolean {
    const room = rooms.known(eventId)
    return last?.state === 'WAITING' && last.turnEndsAt === null && room !== null && isCalled(room, arrival)
  }

  return liveValue({
    listen(wake) {
      const wakeInTurn = () => turns.schedule(wake)
      const stopSale = sales.onChange(eventId, wakeInTurn)
      const stopRoom = rooms.onNews(eventId, (news) => {
        if (news === 'everybody' || performance.now() >= dueAt || hasComeUp()) wakeInTurn()
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
        // The sale has opened, and the draw is being made: the place is worth a message, this is not.
        const isSame = now.state === 'PRE_QUEUE' && last?.state === 'PRE_QUEUE' && now.paused === last.paused
        if (isSame && performance.now() < dueAt) return undefined
        last = now
      } catch (error) {
        // Passing trouble of ours puts nobody out who has been told something already: it is tried again.
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

  /** A little less than whole seconds, so that the tick that falls due is not missed by a hair. */
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
