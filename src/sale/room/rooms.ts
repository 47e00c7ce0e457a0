import { createStaggeredResume } from '../../async/eventLoop.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { PlaceChange, Room, TickedRoom } from './room.ts'
import { placeMessage, type RoomMessage } from './roomMessages.ts'
import { createRoomReplica, type RoomNews, type RoomReplica, type RoomReplicaDeps } from './roomReplica.ts'

export type { RoomNews }

export interface Rooms {
  /**
   * The room from memory, at once where it is there; null where the event has none. At most a second old while the room's
   * database answers, and as it was last seen while it does not. Throws where the room was never seen, or its places cannot be
   * drawn.
   */
  room(eventId: string): MaybePromise<Room | null>
  /** The room in memory, for a caller that cannot wait. Null where there is none yet: then it is read in the background. */
  known(eventId: string): Room | null
  /** The room, by a read that begins after the call. */
  refresh(eventId: string): Promise<Room | null>
  /** Refreshes the room, with its places where the draw is made. Throws where they cannot be drawn. */
  refreshWithPlaces(eventId: string): Promise<Room | null>
  onNews(eventId: string, listener: (news: RoomNews) => void): () => void
  /** Calls `listener` whenever this place moves to another device, is given up or taken again, or its admission ends. */
  onPlace(eventId: string, arrival: number, listener: () => void): () => void
  /** Applies a change of a place here at once, and publishes it to every server. */
  publishPlace(eventId: string, arrival: number, change: PlaceChange): void
  /** Publishes to every server that a purchase has ended the admission of a place. */
  publishEnd(eventId: string, arrival: number): void
  /** Notes here that a purchase has ended the admission of a place: for a process that may have missed the message. */
  noteEnd(eventId: string, arrival: number): void
  /** True where this process received such a message. It may have missed one: the row decides. */
  hasEnded(eventId: string, arrival: number): boolean
  /** Applies a tick here at once, and publishes it to every server. */
  publishTick(ticked: TickedRoom): void
  /** Has every server read the room. */
  publishRoom(eventId: string): void
  close(): void
}

/** Pub/sub may lose messages: with this every change is seen within two seconds all the same. */
const REFRESH_MS = 1_000
/** A room without listeners is forgotten so long after its last use. Not a bounded cache: each room costs a read a second. */
const FORGET_AFTER_MS = 60_000

interface Kept {
  readonly replica: RoomReplica
  usedAt: number
  timer?: NodeJS.Timeout
}

export interface RoomsDeps extends RoomReplicaDeps {
  publish: Publish
}

export function createRooms({ publish, ...deps }: RoomsDeps): Rooms {
  const rooms = new Map<string, Kept>()
  const resume = createStaggeredResume()

  function use(eventId: string): Kept {
    const known = rooms.get(eventId)
    if (known) {
      known.usedAt = performance.now()
      return known
    }
    const kept: Kept = { replica: createRoomReplica(eventId, deps), usedAt: performance.now() }
    rooms.set(eventId, kept)
    schedule(eventId, kept)
    return kept
  }

  function schedule(eventId: string, kept: Kept) {
    kept.timer = setTimeout(async () => {
      const { replica } = kept
      if (!replica.isInUse() && performance.now() - kept.usedAt > FORGET_AFTER_MS) {
        forget(eventId, kept)
        return
      }
      await replica.read().catch((error) => {
        deps.log.warn({ err: error, eventId }, 'the room cannot be read: the last known state is served')
      })
      if (rooms.get(eventId) === kept) schedule(eventId, kept)
    }, REFRESH_MS)
  }

  function forget(eventId: string, kept: Kept) {
    kept.replica.close()
    clearTimeout(kept.timer)
    rooms.delete(eventId)
  }

  /** The room counts as used when the listener goes. */
  function untilStopped(kept: Kept, stop: () => void): () => void {
    return () => {
      stop()
      kept.usedAt = performance.now()
    }
  }

  function send(eventId: string, message: RoomMessage) {
    publish(channels.room(eventId), JSON.stringify(message))
  }

  return {
    room(eventId) {
      const { replica } = use(eventId)
      if (replica.isRead()) return replica.room()
      return replica
        .read()
        .then(resume)
        .then(() => replica.room())
    },

    known(eventId) {
      const { replica } = use(eventId)
      if (!replica.isRead()) replica.read().catch(() => {})
      return replica.room()
    },

    async refresh(eventId) {
      const { replica } = use(eventId)
      await replica.read.next()
      return replica.room()
    },

    async refreshWithPlaces(eventId) {
      const { replica } = use(eventId)
      await replica.read.next()
      await replica.places()
      return replica.room()
    },

    onNews(eventId, listener) {
      const kept = use(eventId)
      return untilStopped(kept, kept.replica.onNews(listener))
    },

    onPlace(eventId, arrival, listener) {
      const kept = use(eventId)
      return untilStopped(kept, kept.replica.onPlace(arrival, listener))
    },

    publishPlace(eventId, arrival, change) {
      use(eventId).replica.applyPlace(arrival, change)
      send(eventId, placeMessage(arrival, change))
    },

    publishEnd(eventId, arrival) {
      rooms.get(eventId)?.replica.applyEnd(arrival)
      send(eventId, { kind: 'end', arrival })
    },

    noteEnd(eventId, arrival) {
      rooms.get(eventId)?.replica.applyEnd(arrival)
    },

    hasEnded: (eventId, arrival) => rooms.get(eventId)?.replica.hasEnded(arrival) ?? false,

    publishTick(ticked) {
      use(ticked.eventId).replica.applyTick(ticked)
      send(ticked.eventId, { kind: 'tick', ...ticked })
    },

    publishRoom(eventId) {
      send(eventId, { kind: 'room' })
    },

    close() {
      for (const [eventId, kept] of rooms) forget(eventId, kept)
    },
  }
}
