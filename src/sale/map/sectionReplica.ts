import { liveValue } from '../../async/liveValue.ts'
import { singleFlight } from '../../async/singleFlight.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { SeatStatus } from '../../seatStatus.ts'
import type { Clock } from '../clock.ts'
import { changesBetween, setStatus } from './packedStatuses.ts'

export interface SectionSnapshot {
  readonly eventId: string
  readonly sectionNo: number
  /** The sum of the seats' revisions. It grows with every change and never goes back. */
  readonly version: number
  /** When this was true: it contains every change that was published or read before. */
  readonly asOf: Date
  /** Two bits a seat, see packedStatuses.ts. Null for general admission, and while only counts are known. Immutable. */
  readonly statuses: Uint8Array | null
  readonly available: number
}

/** A snapshot, or the changes that lead from `previousVersion` to `version`. */
export interface SectionUpdate {
  readonly eventId: string
  readonly sectionNo: number
  readonly version: number
  readonly previousVersion: number | null
  readonly asOf: Date
  readonly available: number
  readonly snapshot: SectionSnapshot | null
  readonly changes: readonly { index: number; status: SeatStatus }[]
  /** The section after this update. */
  readonly whole: SectionSnapshot
}

export interface SectionReplicaDeps {
  eventId: string
  sectionNo: number
  hub: ChannelHub
  clock: Clock
  /** Reads the section from Redis, or its counts from the database; never below `version`, the last one sent. */
  read(version: number): Promise<SectionState>
  /** Returns the version in the event's counts, at most about 0.5 s old; undefined where Redis is away. */
  pollVersion(): Promise<{ version: number; readAt: number } | undefined>
  /** Returns the map's version in Redis; null where Redis has no map of the section. Throws where Redis is away. */
  mapVersion(): Promise<number | null>
  /** Returns the version in the database, read after the call. */
  databaseVersion(): Promise<number>
}

export interface SectionState {
  readonly version: number
  readonly available: number
  readonly statuses: Uint8Array | null
  readonly generalAdmission: boolean
  /** When this was true, by performance.now(). */
  readonly readAt: number
}

/** No client gets anything older. */
const OLDEST_MS = 1_000
/** A read of a state that is older than this refreshes it in the background, for later readers. */
const STALE_MS = 500
const GATHER_MS = 250
const POLL_MS = 500
/** Changes wake the subscribers. This limits the harm of a bug; the poll already finds lost messages. */
const BACKSTOP_MS = 60_000

/**
 * Keeps one section in this process's memory, for snapshots and for subscriptions. While it has subscribers, it
 * follows the section's channel. Otherwise a request refreshes it when it is over half a second old.
 *
 * Every state is an immutable value. Each subscription keeps the state that it sent last, and sends the difference
 * to the current one. So there is no gap and no backlog.
 */
export function createSectionReplica(deps: SectionReplicaDeps) {
  const { eventId, sectionNo, hub, clock, read, pollVersion, mapVersion, databaseVersion } = deps
  const wakes = new Set<() => void>()
  let state: SectionState | undefined
  /** The current snapshot: every reader gets the same one until the state changes or is verified again. */
  let cached: { of: SectionState; snapshot: SectionSnapshot } | undefined
  /** The state before the changes that are being gathered, with the time at which it was last verified. */
  let beforeGathering: SectionState | undefined
  let stopFollowing: (() => void) | undefined
  let gathering: NodeJS.Timeout | undefined
  let lastWakeAt = Number.NEGATIVE_INFINITY
  /** The highest version that another process may have sent to a client before the client came here. */
  let sentElsewhere = 0

  function adopt(next: SectionState): SectionState {
    // Messages that came during the read may be ahead of its result.
    if (state && state.version > next.version && state.statuses) return state
    if (!state || differs(state, next)) {
      if (!gathering) beforeGathering = state
      gather()
    }
    state = next
    return next
  }

  const refresh = singleFlight(() => read(state?.version ?? 0).then(adopt))

  function refreshInBackground() {
    // A caller that needs the result calls `refresh` itself and gets the error.
    refresh().catch(() => {})
  }

  function gather() {
    if (wakes.size === 0) return
    gathering ??= setTimeout(
      () => {
        gathering = undefined
        lastWakeAt = performance.now()
        for (const wake of wakes) wake()
      },
      Math.max(0, lastWakeAt + GATHER_MS - performance.now()),
    )
  }

  /** Applies a message as mergeSeats.lua publishes it. */
  function onMessage(message: string) {
    const [before, version, available, ...seats] = message.split(' ')
    if (message === '' || !state?.statuses) return refreshInBackground()
    if (Number(version) <= state.version) return
    if (Number(before) !== state.version) return refreshInBackground()
    const statuses = state.statuses.slice()
    for (const seat of seats) {
      const [index, status] = seat.split(':')
      setStatus(statuses, Number(index), Number(status) as SeatStatus)
    }
    adopt({
      ...state,
      version: Number(version),
      available: Number(available),
      statuses,
      readAt: performance.now(),
    })
  }

  /** Compares versions, since messages may be lost. */
  async function poll() {
    const polled = await pollVersion()
    if (state?.statuses && polled?.version === state.version) {
      state = { ...state, readAt: Math.max(state.readAt, polled.readAt) }
    } else if (!polled || !state?.statuses || polled.version > state.version) {
      refreshInBackground()
    }
  }

  function follow() {
    const stopListening = hub.listen(channels.section(eventId, sectionNo), onMessage)
    const polling = setInterval(() => poll().catch(() => {}), POLL_MS)
    return () => {
      stopListening()
      clearInterval(polling)
      clearTimeout(gathering)
      gathering = undefined
    }
  }

  async function current(): Promise<SectionState> {
    if (!state || performance.now() - state.readAt > OLDEST_MS) return refresh()
    if (performance.now() - state.readAt > STALE_MS) refreshInBackground()
    return state
  }

  /** Refreshes until the state is at `version` or later. Throws where a read returns less. */
  async function reach(version: number): Promise<number> {
    // A refresh that already runs may have read before the call; the second refresh reads after it.
    for (let i = 0; i < 2 && (!state || state.version < version); i++) await refresh()
    if (!state || state.version < version)
      throw new Error(`section ${sectionNo} of ${eventId} is behind ${version}`)
    return version
  }

  async function reachMap(): Promise<number> {
    return reach((await mapVersion()) ?? (await refresh()).version)
  }

  async function latest(): Promise<number> {
    try {
      const version = await reachMap()
        // Redis is away. Every version that any process has sent was committed before.
        .catch(async () => reach(await databaseVersion()))
      sentElsewhere = Math.max(sentElsewhere, version)
      gather()
      return sentElsewhere
    } catch {
      return 0
    }
  }

  async function toSnapshot(of: SectionState): Promise<SectionSnapshot> {
    const { version, available, statuses, generalAdmission, readAt } = of
    const asOf = await clock.at(readAt)
    return { eventId, sectionNo, version, asOf, statuses: generalAdmission ? null : statuses, available }
  }

  async function cachedSnapshot(now: SectionState): Promise<SectionSnapshot> {
    if (cached?.of === now) return cached.snapshot
    const snapshot = await toSnapshot(now)
    cached = { of: now, snapshot }
    return snapshot
  }

  function differs(before: SectionState, now: SectionState): boolean {
    return (
      before.version !== now.version ||
      before.available !== now.available ||
      (before.statuses === null) !== (now.statuses === null)
    )
  }

  async function toUpdate(
    lastSent: SectionState | undefined,
    now: SectionState,
  ): Promise<SectionUpdate | undefined> {
    const whole = await cachedSnapshot(now)
    if (!lastSent || (lastSent.statuses === null) !== (now.statuses === null)) return snapshotUpdate(whole)
    const hasStatuses = lastSent.statuses && now.statuses && !now.generalAdmission
    const seats = hasStatuses ? changesBetween(lastSent.statuses, now.statuses) : []
    const isUnchanged = seats.length === 0 && lastSent.available === now.available
    // A version without changes is sent only up to the one that another process may have sent to a client.
    if (isUnchanged && lastSent.version >= sentElsewhere) return undefined
    return { ...snapshotUpdate(whole), previousVersion: lastSent.version, snapshot: null, changes: seats }
  }

  return {
    inUse: () => wakes.size > 0,

    async snapshot(): Promise<SectionSnapshot> {
      return cachedSnapshot(await current())
    },

    /** Returns the section after an update, with the time at which that was last verified. It may be stale. */
    async whole({ version, whole }: SectionUpdate): Promise<SectionSnapshot> {
      for (const verified of [await current(), beforeGathering]) {
        if (!verified) continue
        const snapshot = await toSnapshot(verified)
        if (showsTheSame(snapshot, whole)) return { ...snapshot, version }
      }
      // The update was sent after the first of the changes that are being gathered: a moment ago.
      return whole
    },

    /** Returns the cached snapshot where it needs no refresh; null otherwise. */
    freshSnapshot(): SectionSnapshot | null {
      if (!state || cached?.of !== state || performance.now() - state.readAt > STALE_MS) return null
      return cached.snapshot
    },

    latest,

    updates(): AsyncIterableIterator<SectionUpdate> {
      let lastSent: SectionState | undefined
      return liveValue<SectionUpdate>({
        listen(wake) {
          wakes.add(wake)
          stopFollowing ??= follow()
          return () => {
            wakes.delete(wake)
            if (wakes.size > 0) return
            stopFollowing?.()
            stopFollowing = undefined
          }
        },
        async read() {
          if (!lastSent) await latest()
          // A passing fault ends no subscription: it continues from the last state that it sent.
          const now = await current().catch((error: Error) => {
            if (!lastSent) throw error
            return lastSent
          })
          const update = await toUpdate(lastSent, now)
          if (update) lastSent = now
          return update
        },
        backstopMs: BACKSTOP_MS,
      })
    },
  }
}

/** Ignores the versions: a version without changes may never be sent. */
function showsTheSame(a: SectionSnapshot, b: SectionSnapshot): boolean {
  if (a.available !== b.available) return false
  if (!a.statuses || !b.statuses) return a.statuses === b.statuses
  return Buffer.compare(a.statuses, b.statuses) === 0
}

/** Returns the update for a new subscriber: the whole section. */
export function snapshotUpdate(whole: SectionSnapshot): SectionUpdate {
  const { eventId, sectionNo, version, available, asOf } = whole
  const common = { eventId, sectionNo, version, available, asOf }
  return { ...common, previousVersion: null, snapshot: whole, changes: [], whole }
}

export type SectionReplica = ReturnType<typeof createSectionReplica>
