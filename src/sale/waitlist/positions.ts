import { createKeptReads } from '../../async/keptReads.ts'
import { createSharedReads } from '../../async/sharedReads.ts'
import type { EntryRow, WaitingRow } from '../../sql/waitlist.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'

/** What an entry is placed by. */
export type Placed = Pick<EntryRow, 'eventId' | 'no' | 'sectionNo' | 'levelNo'>

/**
 * Which place entries have: those ahead that could take the same seats, plus one. One read tells it of everybody who
 * waits for an event, however many ask.
 */
export interface Positions {
  /** As it was after the call. */
  now(entry: Placed): Promise<number>
  /** Up to about 3 s old: for the many who only watch. */
  recent(entry: Placed): Promise<number>
}

export interface PositionsDeps {
  read(eventId: string): Promise<WaitingRow[]>
  catalogue: { event(eventId: string): Promise<Pick<CatalogueEvent, 'sections'> | null> }
}

const KEPT_MS = 3_000

export function createPositions({ read, catalogue }: PositionsDeps): Positions {
  const reads = createSharedReads<WaitingRow[]>()
  const kept = createKeptReads<WaitingRow[]>(KEPT_MS)

  const readNow = (eventId: string) => reads.read(eventId, () => read(eventId))

  const readRecent = (eventId: string) => kept.read(eventId, () => readNow(eventId))

  async function place(entry: Placed, reading: Promise<WaitingRow[]>): Promise<number> {
    const event = await catalogue.event(entry.eventId)
    const levelsOf = (sectionNo: number) => event?.sections.find(({ no }) => no === sectionNo)?.levelNos ?? []
    return (await reading)
      .filter((others) => couldTakeTheSame(entry, others, levelsOf))
      .reduce((position, { nos }) => position + countBelow(nos, entry.no), 1)
  }

  return {
    now: (entry) => place(entry, readNow(entry.eventId)),
    recent: (entry) => place(entry, readRecent(entry.eventId)),
  }
}

type Wanted = Pick<WaitingRow, 'sectionNo' | 'levelNo'>

/** Where a section and a price level of both go together. */
function couldTakeTheSame(a: Wanted, b: Wanted, levelsOf: (sectionNo: number) => readonly number[]): boolean {
  const agree = (x: number | null, y: number | null) => x === null || y === null || x === y
  if (!agree(a.sectionNo, b.sectionNo) || !agree(a.levelNo, b.levelNo)) return false
  const [sectionNo, levelNo] = [a.sectionNo ?? b.sectionNo, a.levelNo ?? b.levelNo]
  return sectionNo === null || levelNo === null || levelsOf(sectionNo).includes(levelNo)
}

/** How many of ascending numbers are less. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}
