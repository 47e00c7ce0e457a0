import type { MaybePromise } from '../../async/maybePromise.ts'
import { createSharedReads } from '../../async/sharedReads.ts'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { EntryRow, WaitingRow } from '../../sql/waitlist.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'

/** The part of an entry that decides its position. */
export type PositionedEntry = Pick<EntryRow, 'eventId' | 'no' | 'sectionNo' | 'levelNo'>

/**
 * An entry's position: the number of entries ahead that could take the same seats, plus one. One read serves every
 * waiting entry of an event, however many callers there are.
 */
export interface Positions {
  /** The position by a read that begins after the call. */
  now(entry: PositionedEntry): Promise<number>
  /** The position, up to about 3 s old: for the many fans that only watch. */
  recent(entry: PositionedEntry): Promise<number>
}

export interface PositionsDeps {
  read(eventId: string): Promise<WaitingRow[]>
  catalogue: { event(eventId: string): MaybePromise<Pick<CatalogueEvent, 'sections'> | null> }
}

const KEPT_MS = 3_000

export function createPositions({ read, catalogue }: PositionsDeps): Positions {
  const reads = createSharedReads<WaitingRow[]>()
  const kept = createSingleFlights<WaitingRow[]>({ keptMs: KEPT_MS })

  const readNow = (eventId: string) => reads.read(eventId, () => read(eventId))

  const readRecent = (eventId: string) => kept.run(eventId, () => readNow(eventId))

  async function positionOf(entry: PositionedEntry, reading: Promise<WaitingRow[]>): Promise<number> {
    const event = await catalogue.event(entry.eventId)
    const levelsOf = (sectionNo: number) => event?.sections.find(({ no }) => no === sectionNo)?.levelNos ?? []
    return (await reading)
      .filter((others) => mayTakeSameSeats(entry, others, levelsOf))
      .reduce((position, { nos }) => position + countBelow(nos, entry.no), 1)
  }

  return {
    now: (entry) => positionOf(entry, readNow(entry.eventId)),
    recent: (entry) => positionOf(entry, readRecent(entry.eventId)),
  }
}

type Wanted = Pick<WaitingRow, 'sectionNo' | 'levelNo'>

/** True where some section and price level fits both entries. */
function mayTakeSameSeats(a: Wanted, b: Wanted, levelsOf: (sectionNo: number) => readonly number[]): boolean {
  const agree = (x: number | null, y: number | null) => x === null || y === null || x === y
  if (!agree(a.sectionNo, b.sectionNo) || !agree(a.levelNo, b.levelNo)) return false
  const [sectionNo, levelNo] = [a.sectionNo ?? b.sectionNo, a.levelNo ?? b.levelNo]
  return sectionNo === null || levelNo === null || levelsOf(sectionNo).includes(levelNo)
}

/** The count of ascending numbers below `limit`, by binary search. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}
