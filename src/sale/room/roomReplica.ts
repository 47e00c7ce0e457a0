import type { Logger } from 'pino'
import { yieldToEventLoop } from '../../async/eventLoop.ts'
import { singleFlight } from '../../async/singleFlight.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Database } from '../../sql/database/database.ts'
import { readChangedPlaces } from '../../sql/room/changedPlaces.ts'
import { type RoomRow, readRoom } from '../../sql/room/rooms.ts'
import { drawnPlaces } from '../draw/drawnPlaces.ts'
import { CHANGES_AT_ONCE, createPlaceChanges } from './placeChanges.ts'
import type { PlaceChange, Room, TickedRoom } from './room.ts'
import { changeOf, parseMessage } from './roomMessages.ts'

/** `tick`: a tick, or the freeze of the line. `all`: a change that every fan in the room must see at once. */
export type RoomNews = 'tick' | 'all'

export interface RoomReplicaDeps {
  roomDb: Database
  hub: ChannelHub
  log: Logger
}

/** A change that is committed late may have an earlier time than one that was read already. */
const OVERLAP_MS = 10_000

interface Draw {
  /** Seed, size and beacon as one text. */
  readonly drawKey: string
  readonly making: Promise<void>
}

/** One room in this process's memory. It follows the room's channel until it is closed. */
export function createRoomReplica(eventId: string, { roomDb, hub, log }: RoomReplicaDeps) {
  const changes = createPlaceChanges()
  let room: Room | null = null
  let changesReadTo = new Date(0)
  let draw: Draw | undefined
  /** The room was read, with its places where the draw was made before that. */
  let isRead = false
  const listeners = new Set<(news: RoomNews) => void>()
  /**
   * By arrival index. Every server receives a message for each place that a fan gives up; a check of each socket for each
   * message would take too long.
   */
  const placeListeners = new Map<number, Set<() => void>>()
  /** Places whose admission a purchase has ended since this process follows the room. */
  const ended = new Set<number>()
  const read = singleFlight(readAll)
  const stopListening = hub.listen(channels.room(eventId), receive)

  function receive(message: string) {
    const change = parseMessage(message)
    if (change?.kind === 'place') applyPlace(change.arrival, changeOf(change))
    else if (change?.kind === 'tick') applyTick(change)
    else if (change?.kind === 'end') applyEnd(change.arrival)
    else read().catch(() => {})
  }

  function applyTick({ kind: _, ...ticked }: TickedRoom & { kind?: 'tick' }) {
    if (!room || ticked.tick <= room.tick) return
    changes.abandoned.callUpTo(ticked.admittedUpTo)
    room = { ...room, ...ticked }
    notify('tick')
  }

  function applyPlace(arrival: number, change: PlaceChange) {
    if (changes.apply(arrival, change)) for (const listener of placeListeners.get(arrival) ?? []) listener()
  }

  function applyEnd(arrival: number) {
    if (ended.has(arrival)) return
    ended.add(arrival)
    for (const listener of placeListeners.get(arrival) ?? []) listener()
  }

  function notify(news: RoomNews) {
    for (const listener of listeners) listener(news)
  }

  async function readAll(): Promise<void> {
    const tickAtStart = room?.tick
    const row = await readRoom(roomDb, eventId)
    // A message may have brought a tick while the row was read. Without one, an earlier tick means that the database went back:
    // another copy took over, and the changes of places in the lost copy are as void as its tick.
    const gotTick = room?.tick !== tickAtStart
    if (row && room && row.tick < room.tick && !gotTick) forgetChanges()
    const changed = row ? await readChangedPlaces(roomDb, eventId, changesReadTo) : []
    if (!row) {
      isRead = true
      room = null
      return
    }
    await applyAll(changed, row.now)
    await followDraw(row)
    if (!isRead && draw && changes.places === null) {
      // Other servers may have sent the drawn places already. Return nothing until they are loaded, then read the newest row.
      await draw.making
      return readAll()
    }
    isRead = true
    adopt(row, tickAtStart)
  }

  async function applyAll(changed: Iterable<PlaceChange & { arrival: number }>, now: Date) {
    let taken = 0
    let latest = 0
    for (const place of changed) {
      applyPlace(place.arrival, place)
      latest = Math.max(latest, place.changedAt.getTime())
      if (++taken % CHANGES_AT_ONCE === 0) await yieldToEventLoop()
    }
    changesReadTo = nextRead(changesReadTo, latest, now)
  }

  function adopt(row: RoomRow, tickAtStart: number | undefined) {
    const before = room
    const { places, changed, abandoned } = changes
    const { now, ...rest } = row
    const next = { ...rest, places, changed, abandoned, asOf: now }
    if (before && before.tick !== tickAtStart && row.tick < before.tick) {
      // The tick of the message stands. The row's draw may have come with that tick.
      const { opensAt, size, beacon, seed } = row
      Object.assign(next, before, { opensAt, size, beacon, seed, places, changed, abandoned })
    }
    room = next
    abandoned.callUpTo(next.admittedUpTo)
    // A line that is frozen and waits for its beacon has no tick that would bring the news.
    if (before && (before.tick !== next.tick || before.size !== next.size)) notify('tick')
    if (before && (before.paused !== next.paused || before.places !== places)) notify('all')
  }

  /** Makes each draw once. Another copy of the database may have no draw, or another one. */
  async function followDraw({ seed, size, beacon }: RoomRow) {
    const drawKey = seed === null || size === null ? undefined : JSON.stringify([seed, size, beacon])
    if (draw?.drawKey === drawKey) return
    draw = undefined
    if (changes.places !== null) await changes.moveTo(null, () => true, admittedUpTo)
    if (seed === null || size === null || drawKey === undefined) return
    if (size === 0) {
      draw = { drawKey, making: Promise.resolve() }
      changes.useArrivalsAsPlaces()
      return
    }
    const startedAt = performance.now()
    const making = drawnPlaces({ eventId, seed, size, beacon }).then(
      async (places) => {
        if (draw !== started) return
        log.info({ eventId, size, ms: Math.round(performance.now() - startedAt) }, 'places drawn')
        await changes.moveTo(places, () => draw === started, admittedUpTo)
        if (draw !== started || !room) return
        room = { ...room, places, abandoned: changes.abandoned }
        notify('all')
      },
      (error) => {
        // The next read tries again.
        if (draw === started) draw = undefined
        throw error
      },
    )
    making.catch((error) => log.error({ err: error, eventId }, 'places cannot be drawn'))
    const started: Draw = { drawKey, making }
    draw = started
  }

  const admittedUpTo = () => room?.admittedUpTo ?? 0

  function forgetChanges() {
    changes.forget()
    ended.clear()
    changesReadTo = new Date(0)
  }

  return {
    /** Null before the first read, and where the event has no room. */
    room: () => room,
    isRead: () => isRead,
    /** Reads the room, or shares the read that is under way. */
    read,
    /** Waits for the places, where the draw is made. Throws where they cannot be drawn. */
    async places() {
      await draw?.making
    },
    applyTick,
    applyPlace,
    applyEnd,
    hasEnded: (arrival: number): boolean => ended.has(arrival),

    isInUse: () => listeners.size + placeListeners.size > 0,

    onNews(listener: (news: RoomNews) => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },

    onPlace(arrival: number, listener: () => void): () => void {
      const ofPlace = placeListeners.get(arrival) ?? new Set()
      placeListeners.set(arrival, ofPlace.add(listener))
      return () => {
        if (ofPlace.delete(listener) && ofPlace.size === 0) placeListeners.delete(arrival)
      }
    },

    close() {
      stopListening()
    },
  }
}

export type RoomReplica = ReturnType<typeof createRoomReplica>

/**
 * Once nothing has changed for so long that no change can come late, no change is read twice.
 *
 * @param latest the time of the latest change that was read, in milliseconds; 0 where there was none
 */
function nextRead(before: Date, latest: number, now: Date): Date {
  return new Date(Math.max(before.getTime(), Math.min(latest, now.getTime() - OVERLAP_MS)))
}
