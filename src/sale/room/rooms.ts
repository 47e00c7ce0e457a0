import { setImmediate as breathe } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createStaggeredResume } from '../../async/eventLoop.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import { readChangedPlaces } from '../../sql/places.ts'
import { type RoomRow, readRoom } from '../../sql/rooms.ts'
import { drawnPlaces } from '../draw/drawnPlaces.ts'
import { isSameDigest } from '../tokens/digests.ts'
import { type AbandonedPlacesRecord, createAbandonedPlaces } from './abandonedPlaces.ts'
import { type PlaceChange, placeOf, type Room, type TickedRoom } from './room.ts'
import { changeOf, parseMessage, placeMessage, type RoomMessage } from './roomMessages.ts'

/** What happened: a tick or the freeze, or something that everybody must hear of. */
export type RoomNews = 'tick' | 'everybody'

export interface Rooms {
  /**
   * From memory, fresh to the second while the queue's database is there and as it was last seen while it is not.
   * Null where the event has no room. Throws where it was never seen, or its places cannot be made.
   */
  room(eventId: string): Promise<Room | null>
  /** What is in memory; null where nothing is yet, and then it is fetched for the next time. */
  known(eventId: string): Room | null
  /** Read now. */
  refresh(eventId: string): Promise<Room | null>
  /** Read now, and its places waited for where the draw is made. Throws where they cannot be. */
  refreshWithPlaces(eventId: string): Promise<Room | null>
  onNews(eventId: string, listener: (news: RoomNews) => void): () => void
  /** Told whenever this place moves to another device, or is given up or taken up again. */
  onPlace(eventId: string, arrival: number, listener: () => void): () => void
  /** Tells every server, this one at once, what has become of a place. */
  publishPlace(eventId: string, arrival: number, change: PlaceChange): void
  /** Tells every server, this one at once, what a tick has brought. */
  publishTick(ticked: TickedRoom): void
  /** Tells every server to read the room anew. */
  publishRoom(eventId: string): void
  close(): void
}

/** Pub/sub may lose messages: everything is known two seconds later all the same. */
const REFRESH_MS = 1_000
/** A room that nobody asked for and nobody listens to is not kept. */
const FORGET_AFTER_MS = 60_000
/** A change that was committed late may have an earlier time than one that was read already. */
const OVERLAP_MS = 10_000

/** Changes taken in at once: hundreds of thousands, as the first look may find, would keep the loop for a second. */
const AT_ONCE = 5_000

type Count = Pick<Entry, 'places' | 'abandoned'>

interface Entry {
  room: Room | null
  changed: Map<number, PlaceChange>
  /** The places by which `abandoned` stands. */
  places: Uint32Array | null
  abandoned: AbandonedPlacesRecord
  /** Counts by other places, under way: what becomes of a place meanwhile is written to them too. */
  counts: Set<Count>
  changesReadTo: Date
  draw?: { readonly of: string; readonly making: Promise<void> }
  /** It was read, with its places where the draw was made before that. */
  isRead: boolean
  usedAt: number
  reading?: Promise<void>
  timer?: NodeJS.Timeout
  listeners: Set<(news: RoomNews) => void>
  /**
   * By arrival index: every server hears of every place that is given up, and asking each of its sockets whether it is
   * theirs takes a quarter of a millisecond a place with 20,000 of them.
   */
  placeListeners: Map<number, Set<() => void>>
  stopListening(): void
}

export interface RoomsDeps {
  roomDb: Database
  hub: ChannelHub
  publish: Publish
  log: Logger
}

export function createRooms({ roomDb, hub, publish, log }: RoomsDeps): Rooms {
  const entries = new Map<string, Entry>()
  const turnstile = createStaggeredResume()

  function tellAll(eventId: string, message: RoomMessage) {
    publish(channels.room(eventId), JSON.stringify(message))
  }

  function entryOf(eventId: string): Entry {
    const known = entries.get(eventId)
    if (known) {
      known.usedAt = performance.now()
      return known
    }
    const entry: Entry = {
      room: null,
      changed: new Map(),
      places: null,
      abandoned: createAbandonedPlaces(),
      counts: new Set(),
      changesReadTo: new Date(0),
      isRead: false,
      usedAt: performance.now(),
      listeners: new Set(),
      placeListeners: new Map(),
      stopListening: () => {},
    }
    entries.set(eventId, entry)
    entry.stopListening = hub.listen(channels.room(eventId), (message) => hear(eventId, entry, message))
    schedule(eventId, entry)
    return entry
  }

  function schedule(eventId: string, entry: Entry) {
    entry.timer = setTimeout(async () => {
      const isHeard = entry.listeners.size + entry.placeListeners.size > 0
      if (!isHeard && performance.now() - entry.usedAt > FORGET_AFTER_MS) {
        forget(eventId, entry)
        return
      }
      await readOnce(eventId, entry).catch((error) => {
        log.warn({ err: error, eventId }, 'the room cannot be read: told as it was last seen')
      })
      if (entries.get(eventId) === entry) schedule(eventId, entry)
    }, REFRESH_MS)
  }

  function forget(eventId: string, entry: Entry) {
    entry.stopListening()
    clearTimeout(entry.timer)
    entries.delete(eventId)
  }

  function hear(eventId: string, entry: Entry, message: string) {
    const change = parseMessage(message)
    if (change?.kind === 'place') applyPlace(entry, change.arrival, changeOf(change))
    else if (change?.kind === 'tick') applyTick(entry, change)
    else readOnce(eventId, entry).catch(() => {})
  }

  function applyTick(entry: Entry, { kind: _, ...ticked }: { kind: 'tick' } & TickedRoom) {
    if (!entry.room || ticked.tick <= entry.room.tick) return
    entry.abandoned.callUpTo(ticked.admittedUpTo)
    entry.room = { ...entry.room, ...ticked }
    tell(entry, 'tick')
  }

  function tell(entry: Entry, news: RoomNews) {
    for (const listener of entry.listeners) listener(news)
  }

  function applyPlace(entry: Entry, arrival: number, { device, hasLeft, changedAt }: PlaceChange) {
    const known = entry.changed.get(arrival)
    if (known && known.changedAt >= changedAt) return
    entry.changed.set(arrival, { device, hasLeft, changedAt })
    setGivenUp(entry, arrival, hasLeft)
    for (const count of entry.counts) setGivenUp(count, arrival, hasLeft)
    if (known?.hasLeft !== hasLeft || !isSameDigest(known.device, device))
      for (const listener of entry.placeListeners.get(arrival) ?? []) listener()
  }

  async function read(eventId: string, entry: Entry): Promise<void> {
    const tickAtStart = entry.room?.tick
    const row = await readRoom(roomDb, eventId)
    // A tick may have been heard of while an earlier one was being read. Where none was, the database itself went
    // back: another copy took over, and what the lost one had said of places is as void as its tick.
    const heardTick = entry.room?.tick !== tickAtStart
    if (row && entry.room && row.tick < entry.room.tick && !heardTick) forgetChanges(entry)
    const changed = row ? await readChangedPlaces(roomDb, eventId, entry.changesReadTo) : []
    if (!row) {
      entry.isRead = true
      entry.room = null
      return
    }
    let taken = 0
    let latest = 0
    for (const place of changed) {
      applyPlace(entry, place.arrival, place)
      latest = Math.max(latest, place.changedAt.getTime())
      if (++taken % AT_ONCE === 0) await breathe()
    }
    entry.changesReadTo = nextRead(entry.changesReadTo, latest, row.now)
    await makePlaces(entry, row)
    if (!entry.isRead && entry.draw && entry.places === null) {
      // Other servers have told everybody's place: until this one has them it tells nobody anything, and then what is so by then.
      await entry.draw.making
      return read(eventId, entry)
    }
    entry.isRead = true
    const before = entry.room
    const { places, changed: changes, abandoned } = entry
    const { now, ...rest } = row
    const room = { ...rest, places, changed: changes, abandoned, asOf: now }
    if (before && before.tick !== tickAtStart && row.tick < before.tick) {
      // The draw may have come with that tick.
      const { opensAt, size, beacon, seed } = row
      Object.assign(room, before, { opensAt, size, beacon, seed, places, changed: changes, abandoned })
    }
    entry.room = room
    entry.abandoned.callUpTo(room.admittedUpTo)
    // A line that is frozen and waits for its beacon has no tick to tell it.
    if (before && (before.tick !== room.tick || before.size !== room.size)) tell(entry, 'tick')
    if (before && (before.paused !== room.paused || before.places !== places)) tell(entry, 'everybody')
  }

  /** Once for each draw; another copy of the database may know of none, or of another one. */
  async function makePlaces(entry: Entry, { eventId, seed, size, beacon }: RoomRow) {
    const of = seed === null || size === null ? undefined : JSON.stringify([seed, size, beacon])
    if (entry.draw?.of === of) return
    entry.draw = undefined
    if (entry.places !== null) await moveGivenUp(entry, null, () => true)
    if (seed === null || size === null || of === undefined) return
    if (size === 0) {
      entry.draw = { of, making: Promise.resolve() }
      // Everybody's place is the arrival index, as it was taken to be until now.
      entry.places = new Uint32Array(0)
      return
    }
    const startedAt = performance.now()
    const making = drawnPlaces({ eventId, seed, size, beacon }).then(
      async (places) => {
        if (entry.draw !== draw) return
        log.info({ eventId, size, ms: Math.round(performance.now() - startedAt) }, 'places drawn')
        await moveGivenUp(entry, places, () => entry.draw === draw)
        if (entry.draw !== draw || !entry.room) return
        entry.room = { ...entry.room, places, abandoned: entry.abandoned }
        tell(entry, 'everybody')
      },
      (error) => {
        // The next read tries again.
        if (entry.draw === draw) entry.draw = undefined
        throw error
      },
    )
    making.catch((error) => log.error({ err: error, eventId }, 'places cannot be drawn'))
    const draw: NonNullable<Entry['draw']> = { of, making }
    entry.draw = draw
  }

  function forgetChanges(entry: Entry) {
    entry.changed = new Map()
    entry.abandoned = createAbandonedPlaces()
    entry.changesReadTo = new Date(0)
  }

  /** The draw gives everybody another place. Counted in pieces, hundreds of thousands; then both change at once. */
  async function moveGivenUp(entry: Entry, places: Uint32Array | null, isWanted: () => boolean) {
    for (;;) {
      const { changed } = entry
      const count: Count = { places, abandoned: createAbandonedPlaces() }
      entry.counts.add(count)
      let taken = 0
      for (const [arrival, { hasLeft }] of changed) {
        setGivenUp(count, arrival, hasLeft)
        if (++taken % AT_ONCE === 0) await breathe()
      }
      entry.counts.delete(count)
      if (!isWanted()) return
      // Else they were forgotten meanwhile.
      if (entry.changed === changed) {
        count.abandoned.callUpTo(entry.room?.admittedUpTo ?? 0)
        Object.assign(entry, count)
        return
      }
    }
  }

  /** Until there are places nobody is called, and for the count of those who wait any order of them will do. */
  function setGivenUp({ places, abandoned }: Count, arrival: number, hasLeft: boolean) {
    abandoned.set(placeOf({ places }, arrival) ?? arrival, arrival, hasLeft)
  }

  function readOnce(eventId: string, entry: Entry): Promise<void> {
    entry.reading ??= read(eventId, entry).finally(() => {
      entry.reading = undefined
    })
    return entry.reading
  }

  async function readAnew(eventId: string): Promise<Entry> {
    const entry = entryOf(eventId)
    // One that is under way may have begun before what the caller wants to see.
    await entry.reading?.catch(() => {})
    await readOnce(eventId, entry)
    return entry
  }

  return {
    async room(eventId) {
      const entry = entryOf(eventId)
      if (!entry.isRead) {
        await readOnce(eventId, entry)
        await turnstile()
      }
      return entry.room
    },

    known(eventId) {
      const entry = entryOf(eventId)
      if (!entry.isRead) readOnce(eventId, entry).catch(() => {})
      return entry.room
    },

    async refresh(eventId) {
      return (await readAnew(eventId)).room
    },

    async refreshWithPlaces(eventId) {
      const entry = await readAnew(eventId)
      await entry.draw?.making
      return entry.room
    },

    onNews(eventId, listener) {
      const entry = entryOf(eventId)
      entry.listeners.add(listener)
      return () => {
        entry.listeners.delete(listener)
        entry.usedAt = performance.now()
      }
    },

    onPlace(eventId, arrival, listener) {
      const entry = entryOf(eventId)
      const listeners = entry.placeListeners.get(arrival) ?? new Set()
      entry.placeListeners.set(arrival, listeners.add(listener))
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) entry.placeListeners.delete(arrival)
        entry.usedAt = performance.now()
      }
    },

    publishPlace(eventId, arrival, change) {
      applyPlace(entryOf(eventId), arrival, change)
      tellAll(eventId, placeMessage(arrival, change))
    },

    publishTick(ticked) {
      const message = { kind: 'tick' as const, ...ticked }
      applyTick(entryOf(ticked.eventId), message)
      tellAll(ticked.eventId, message)
    },

    publishRoom(eventId) {
      tellAll(eventId, { kind: 'room' })
    },

    close() {
      for (const [eventId, entry] of entries) forget(eventId, entry)
    },
  }
}

/**
 * Once nothing has changed for so long that nothing can come late any more, nothing is read twice. `latest`: of the changes
 * that were read, in milliseconds; 0: there were none.
 */
function nextRead(before: Date, latest: number, now: Date): Date {
  return new Date(Math.max(before.getTime(), Math.min(latest, now.getTime() - OVERLAP_MS)))
}
