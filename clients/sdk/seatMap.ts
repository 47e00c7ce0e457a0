import {
  AvailabilityDocument,
  HallPlanDocument,
  LayoutDocument,
  SeatSectionDocument,
} from './generated/operations.ts'
import { STATUS_OF_NAME, unpackStatuses } from './statuses.ts'
import { delay } from './transport/client.ts'
import type { Clock } from './transport/clock.ts'
import type { Connections } from './transport/connections.ts'
import { ConnectionLost } from './transport/errors.ts'
import { subscribeOrPoll, type Transport } from './transport/subscribeOrPoll.ts'
import type { HallPlan, Seat, Section, SectionAvailability, SectionUpdate } from './types.ts'

/** A section at one version. `statuses`: by seat index; null while only counts are known. */
export interface SectionNow {
  readonly sectionId: string
  readonly version: number
  readonly available: number
  readonly statuses: Uint8Array | null
}

/** The live seat map of a sale. It is only a guide: the hold decides. */
export interface SeatMap {
  /**
   * A section's seats in index order; they never change. They come from the CDN's address, or from the API if that
   * address cannot be reached.
   */
  layout(eventId: string, section: Section): Promise<readonly Seat[]>
  /** The drawing of the hall, without its seats; it never changes. Null where there is no such event. */
  plan(eventId: string): Promise<HallPlan | null>
  read(eventId: string, section: Section): Promise<SectionNow>
  watch(
    eventId: string,
    section: Section,
    next: (now: SectionNow) => void,
    failed: (error: unknown) => void,
    by?: Transport,
  ): () => void
}

/** Without a socket. The API promises a map that is at most two seconds old. */
const POLL_EVERY_SECONDS = 2

export function createSeatMap({ client, socket, clock }: Connections): SeatMap {
  const layouts = new Map<string, Promise<readonly Seat[]>>()
  const plans = new Map<string, Promise<HallPlan | null>>()

  async function read(eventId: string, section: Section, signal?: AbortSignal): Promise<SectionNow> {
    const data = await client.request(AvailabilityDocument, { eventId, sectionId: section.id }, { signal })
    const availability = data.event?.section?.availability
    if (!availability) throw new ConnectionLost('The section has no availability now.')
    return fromSnapshot(availability, section, clock)
  }

  async function layoutFromApi(eventId: string, section: Section): Promise<readonly Seat[]> {
    const { event } = await client.request(LayoutDocument, { eventId, sectionId: section.id })
    return event?.section?.layout ?? []
  }

  return {
    layout(eventId, section) {
      let layout = layouts.get(section.layoutUrl)
      if (!layout) {
        layout = client.get(section.layoutUrl).then(
          (seats) => seats as readonly Seat[],
          () => layoutFromApi(eventId, section),
        )
        layout.catch(() => layouts.delete(section.layoutUrl))
        layouts.set(section.layoutUrl, layout)
      }
      return layout
    },
    plan(eventId) {
      let plan = plans.get(eventId)
      if (!plan) {
        plan = client.request(HallPlanDocument, { eventId }).then(({ event }) => event)
        plan.catch(() => plans.delete(eventId))
        plans.set(eventId, plan)
      }
      return plan
    },
    read,
    watch(eventId, section, next, failed, by) {
      let now: SectionNow | undefined
      let reading = false
      const early: SectionUpdate[] = []
      const stopped = new AbortController()

      function take(newer: SectionNow) {
        if (now && newer.version < now.version) return
        now = newer
        next(now)
      }
      function receive(update: SectionUpdate) {
        if (update.snapshot) take(fromSnapshot(update.snapshot, section, clock))
        else if (now && update.version <= now.version) return
        else if (now && leadsOn(now, update)) take(apply(now, update))
        else {
          early.push(update)
          void readAgain()
        }
      }
      /** Reads the whole section after missed changes. One read at a time; changes that arrive meanwhile wait. */
      async function readAgain() {
        if (reading) return
        reading = true
        try {
          take(await read(eventId, section, stopped.signal))
          // The snapshot may be slightly older than the missed changes.
          if (early.some((update) => now && !leadsOn(now, update))) await delay(250, stopped.signal)
        } catch {
          // The next change starts another read, and a new socket brings a snapshot.
          early.length = 0
        } finally {
          reading = false
        }
        if (!stopped.signal.aborted) early.splice(0).forEach(receive)
      }

      const stop = subscribeOrPoll({
        socket,
        by,
        operation: SeatSectionDocument,
        variables: () => ({ eventId, sectionId: section.id }),
        next({ seatSection: update }) {
          clock.sync(update.asOf)
          receive(update)
        },
        async poll(signal) {
          take(await read(eventId, section, signal))
          return POLL_EVERY_SECONDS * (0.75 + Math.random() / 2)
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

/** Changes hold absolute statuses, so an update that starts at or before this version applies completely. */
function leadsOn(now: SectionNow, update: SectionUpdate): boolean {
  return update.previousVersion !== null && update.previousVersion <= now.version
}

function fromSnapshot(
  { sectionId, version, available, statuses, asOf }: SectionAvailability,
  section: Section,
  clock: Clock,
): SectionNow {
  clock.sync(asOf)
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
