import { liveValue } from '../../async/liveValue.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { singleFlight } from '../../async/singleFlight.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Clock } from '../clock.ts'
import { changesBetween, setStatus } from './packedStatuses.ts'
import type { SeatStatus } from './seatStatus.ts'

export interface SectionSnapshot {
  readonly eventId: string
  readonly sectionNo: number
  /** The sum of the seats' revisions: grows with every change and never goes back. */
  readonly version: number
  /** When this was true: what was published or read before that is in it. */
  readonly asOf: Date
  /** Two bits a seat, see packedStatuses.ts. Null for general admission, and while only counts can be told. Never written to. */
  readonly statuses: Uint8Array | null
  readonly available: number
}

/** A snapshot, or what leads from `previousVersion` to `version`. */
export interface SectionUpdate {
  readonly eventId: string
  readonly sectionNo: number
  readonly version: number
  readonly previousVersion: number | null
  readonly asOf: Date
  readonly available: number
  readonly snapshot: SectionSnapshot | null
  readonly changes: readonly { index: number; status: SeatStatus }[]
  /** Where this leads to, whatever was told of it. */
  readonly whole: SectionSnapshot
}

export interface SectionCopyDeps {
  eventId: string
  sectionNo: number
  hub: ChannelHub
  clock: Clock
  /** The section from Redis, or the counts from the database; never below `version`, the last one told. */
  read(version: number): Promise<SectionState>
  /** The version that the event's counts tell, some 0.5 s old at most; undefined where Redis is away. */
  pollVersion(): Promise<{ version: number; readAt: number } | undefined>
  /** The map's version in Redis; null where it has none now. Throws where Redis is away. */
  mapVersion(): Promise<number | null>
  /** What the database makes of it, read after this was asked. */
  databaseVersion(): Promise<number>
}

export interface SectionState {
  readonly version: number
  readonly available: number
  readonly statuses: Uint8Array | null
  readonly generalAdmission: boolean
  /** As performance.now() tells it: this was true then. */
  readonly readAt: number
}

/** Nobody is told anything older. */
const OLDEST_MS = 1_000
/** A reader who comes later than this has it read again for those who come after. */
const STALE_MS = 500
const GATHER_MS = 250
const POLL_MS = 500
/** Those who wait are woken by changes: this bounds the harm of a bug, not of lost messages, which the poll finds. */
const BACKSTOP_MS = 60_000

/**
 * One section in this process's memory: for snapshots, and for subscriptions. While anybody subscribes it
 * follows the section's channel; otherwise it is read when it is asked for and over half a second old.
 *
 * Every state is an immutable value. A subscriber remembers the state that it told last, and tells the
 * difference to the present one: so there is no gap, no backlog, and nothing to keep per subscriber.
 */
export function createSectionCopy(deps: SectionCopyDeps) {
  const { eventId, sectionNo, hub, clock, read, pollVersion, mapVersion, databaseVersion } = deps
  const wakes = new Set<() => void>()
  let state: SectionState | undefined
  /** As it was last told: everybody who looks is told the same until it changes or is seen to be true more lately. */
  let kept: { of: SectionState; snapshot: SectionSnapshot } | undefined
  /** What everybody was told before the changes that are being gathered, as long as it was seen to be true. */
  let replaced: SectionState | undefined
  let stopFollowing: (() => void) | undefined
  let gathering: NodeJS.Timeout | undefined
  let wokenAt = Number.NEGATIVE_INFINITY
  /** The latest version that somebody may have been told elsewhere before he came here. */
  let owed = 0

  function adopt(next: SectionState): SectionState {
    // Messages that came while this was read may be ahead of it.
    if (state && state.version > next.version && state.statuses) return state
    if (!state || isNews(state, next)) {
      if (!gathering) replaced = state
      gather()
    }
    state = next
    return next
  }

  const refresh = singleFlight(() => read(state?.version ?? 0).then(adopt))

  function refreshInBackground() {
    // Whoever needs it asks again, and is told of the error.
    refresh().catch(() => {})
  }

  function gather() {
    if (wakes.size === 0) return
    gathering ??= setTimeout(
      () => {
        gathering = undefined
        wokenAt = performance.now()
        for (const wake of wakes) wake()
      },
      Math.max(0, wokenAt + GATHER_MS - performance.now()),
    )
  }

  /** As mergeSeats.lua publishes it. */
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

  /** Messages may be lost: the version tells. */
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

  /** Throws where what is read does not come as far. */
  async function reach(version: number): Promise<number> {
    // One that is at work already may have read before; the second one has not.
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
        // Redis is away. Whatever anybody was told was committed before.
        .catch(async () => reach(await databaseVersion()))
      owed = Math.max(owed, version)
      gather()
      return owed
    } catch {
      return 0
    }
  }

  async function toSnapshot(of: SectionState): Promise<SectionSnapshot> {
    const { version, available, statuses, generalAdmission, readAt } = of
    const asOf = await clock.at(readAt)
    return { eventId, sectionNo, version, asOf, statuses: generalAdmission ? null : statuses, available }
  }

  async function keptSnapshot(now: SectionState): Promise<SectionSnapshot> {
    if (kept?.of === now) return kept.snapshot
    const snapshot = await toSnapshot(now)
    kept = { of: now, snapshot }
    return snapshot
  }

  function isNews(told: SectionState, now: SectionState): boolean {
    return (
      told.version !== now.version ||
      told.available !== now.available ||
      (told.statuses === null) !== (now.statuses === null)
    )
  }

  async function toUpdate(
    told: SectionState | undefined,
    now: SectionState,
  ): Promise<SectionUpdate | undefined> {
    const whole = await keptSnapshot(now)
    if (!told || (told.statuses === null) !== (now.statuses === null)) return startOver(whole)
    const tellsSeats = told.statuses && now.statuses && !now.generalAdmission
    const seats = tellsSeats ? changesBetween(told.statuses, now.statuses) : []
    const isNoNews = seats.length === 0 && told.available === now.available
    // A version by itself is told where somebody was told it elsewhere, or stands between here and there.
    if (isNoNews && told.version >= owed) return undefined
    return { ...startOver(whole), previousVersion: told.version, snapshot: null, changes: seats }
  }

  return {
    inUse: () => wakes.size > 0,

    /** At once where the snapshot is there and fresh. */
    snapshot(): MaybePromise<SectionSnapshot> {
      const isFresh = state && kept?.of === state && performance.now() - state.readAt <= STALE_MS
      return isFresh && kept ? kept.snapshot : current().then(keptSnapshot)
    },

    /** What was told, as of when it was last seen to be true, though it may be so no more. */
    async whole({ version, whole }: SectionUpdate): Promise<SectionSnapshot> {
      for (const seen of [await current(), replaced]) {
        if (!seen) continue
        const snapshot = await toSnapshot(seen)
        if (showsTheSame(snapshot, whole)) return { ...snapshot, version }
      }
      // It was told since the changes that are being gathered began to come, a moment ago.
      return whole
    },

    latest,

    updates(): AsyncIterableIterator<SectionUpdate> {
      let told: SectionState | undefined
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
          if (!told) await latest()
          // A passing fault ends nobody's subscription: it goes on from what was told.
          const now = await current().catch((error: Error) => {
            if (!told) throw error
            return told
          })
          const update = await toUpdate(told, now)
          if (update) told = now
          return update
        },
        backstopMs: BACKSTOP_MS,
      })
    },
  }
}

/** Whatever the versions: one by itself may be told to nobody. */
function showsTheSame(a: SectionSnapshot, b: SectionSnapshot): boolean {
  if (a.available !== b.available) return false
  if (!a.statuses || !b.statuses) return a.statuses === b.statuses
  return Buffer.compare(a.statuses, b.statuses) === 0
}

/** For whoever knows nothing yet. */
export function startOver(whole: SectionSnapshot): SectionUpdate {
  const { eventId, sectionNo, version, available, asOf } = whole
  const common = { eventId, sectionNo, version, available, asOf }
  return { ...common, previousVersion: null, snapshot: whole, changes: [], whole }
}

export type SectionCopy = ReturnType<typeof createSectionCopy>
