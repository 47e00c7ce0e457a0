import { type Client, delay } from './client.ts'
import type { Clock } from './clock.ts'
import { ConnectionLost } from './errors.ts'
import { type FollowBy, follow } from './follow.ts'
import type { Live } from './live.ts'
import { readAvailability, readLayout, watchSection } from './operations.ts'
import type { Seat, Section, SectionAvailability, SectionUpdate } from './schema.ts'
import { STATUS_OF_NAME, unpackStatuses } from './statuses.ts'

/** A section as it was at one version. `statuses`: by seat index; null while only counts can be told. */
export interface SectionNow {
  readonly sectionId: string
  readonly version: number
  readonly available: number
  readonly statuses: Uint8Array | null
}

/** The sections of a sale, live: a guide, for the hold decides. */
export interface SeatMap {
  /**
   * A section's seats in index order; they never change. From the CDN's address, and from the API where that
   * cannot be reached.
   */
  layout(eventId: string, section: Section): Promise<readonly Seat[]>
  read(eventId: string, section: Section): Promise<SectionNow>
  watch(
    eventId: string,
    section: Section,
    next: (now: SectionNow) => void,
    failed: (error: unknown) => void,
    by?: FollowBy,
  ): () => void
}

interface Deps {
  client: Client
  live: Live
  clock: Clock
}

/** Where no socket can be had. The map is promised to be at most two seconds old. */
const ASK_EVERY_SECONDS = 2

export function createSeatMap({ client, live, clock }: Deps): SeatMap {
  const layouts = new Map<string, Promise<readonly Seat[]>>()

  async function read(eventId: string, section: Section, signal?: AbortSignal): Promise<SectionNow> {
    const data = await client.request(readAvailability, { eventId, sectionId: section.id }, { signal })
    const availability = data.event?.section?.availability
    if (!availability) throw new ConnectionLost('The section has no availability now.')
    return fromSnapshot(availability, section, clock)
  }

  async function askForLayout(eventId: string, section: Section): Promise<readonly Seat[]> {
    const { event } = await client.request(readLayout, { eventId, sectionId: section.id })
    return event?.section?.layout ?? []
  }

  return {
    layout(eventId, section) {
      let layout = layouts.get(section.layoutUrl)
      if (!layout) {
        layout = client.get(section.layoutUrl).then(
          (seats) => seats as readonly Seat[],
          () => askForLayout(eventId, section),
        )
        layout.catch(() => layouts.delete(section.layoutUrl))
        layouts.set(section.layoutUrl, layout)
      }
      return layout
    },
    read,
    watch(eventId, section, next, failed, by) {
      let now: SectionNow | undefined
      let filling = false
      const early: SectionUpdate[] = []
      const stopped = new AbortController()

      function take(newer: SectionNow) {
        if (now && newer.version < now.version) return
        now = newer
        next(now)
      }
      function hear(update: SectionUpdate) {
        if (update.snapshot) take(fromSnapshot(update.snapshot, section, clock))
        else if (now && update.version <= now.version) return
        else if (now && leadsOn(now, update)) take(apply(now, update))
        else {
          early.push(update)
          void fill()
        }
      }
      /** Changes were missed: the whole section again. One question at a time; what comes meanwhile waits. */
      async function fill() {
        if (filling) return
        filling = true
        try {
          take(await read(eventId, section, stopped.signal))
          // What was read may be a moment older than what was missed.
          if (early.some((update) => now && !leadsOn(now, update))) await delay(250, stopped.signal)
        } catch {
          // The next change asks again, and a new socket brings a snapshot.
          early.length = 0
        } finally {
          filling = false
        }
        if (!stopped.signal.aborted) early.splice(0).forEach(hear)
      }

      const stop = follow({
        live,
        by,
        operation: watchSection,
        variables: () => ({ eventId, sectionId: section.id }),
        next({ seatSection: update }) {
          clock.hear(update.asOf)
          hear(update)
        },
        async ask(signal) {
          take(await read(eventId, section, signal))
          return ASK_EVERY_SECONDS * (0.75 + Math.random() / 2)
        },
        failed,
      })
      return () => {
        stopped.abort()
        stop()
      }
    },
  }
}

/** Changes are absolute, so those that begin before our version and end after it are whole for us too. */
function leadsOn(now: SectionNow, update: SectionUpdate): boolean {
  return update.previousVersion !== null && update.previousVersion <= now.version
}

function fromSnapshot(
  { sectionId, version, available, statuses, asOf }: SectionAvailability,
  section: Section,
  clock: Clock,
): SectionNow {
  clock.hear(asOf)
  return {
    sectionId,
    version,
    available,
    statuses: statuses === null ? null : unpackStatuses(statuses, section.capacity),
  }
}

function apply(now: SectionNow, { version, available, changes }: SectionUpdate): SectionNow {
  const statuses = now.statuses && Uint8Array.from(now.statuses)
  if (statuses) for (const { index, status } of changes) statuses[index] = STATUS_OF_NAME[status]
  return { sectionId: now.sectionId, version, available, statuses }
}
