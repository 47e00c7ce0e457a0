import { afterMs, createGatherer } from '../../async/gather.ts'
import type { SeatChange } from '../../seatStatus.ts'

export type Merge = (eventId: string, sectionNo: number, changes: SeatChange[]) => Promise<void>

interface SectionChanges {
  readonly eventId: string
  readonly sectionNo: number
  readonly changes: readonly SeatChange[]
}

/** The most that a change waits for others; subscribers get an update every 250 ms. */
const GATHER_MS = 10

/** Merges the changes of a section that come within a few milliseconds at once, and all sections in one round trip. */
export function createGatheredMerges(merge: Merge): Merge {
  const gather = createGatherer<SectionChanges, void>({
    when: afterMs(GATHER_MS),
    keyOf: ({ eventId, sectionNo }) => `${eventId} ${sectionNo}`,
    async send(gathered) {
      const [{ eventId, sectionNo }] = gathered as [SectionChanges]
      await merge(
        eventId,
        sectionNo,
        gathered.flatMap(({ changes }) => changes),
      )
      return gathered.map(() => undefined)
    },
  })
  return (eventId, sectionNo, changes) => gather({ eventId, sectionNo, changes })
}
