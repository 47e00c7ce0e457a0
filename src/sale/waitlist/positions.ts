import type { MaybePromise } from '../../async/maybePromise.ts'
import { createSharedReads } from '../../async/sharedReads.ts'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { EntryRow, WaitingRow, Wish } from '../../sql/waitlist.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'

/** The part of an entry that decides its position. */
export type PositionedEntry = Pick<EntryRow, 'eventId' | 'no' | 'wishes' | 'wheelchairSeats'>

/** The entries ahead that could take the same seats, and the tickets that they want. */
export interface Ahead {
  readonly entries: number
  readonly tickets: number
}

/**
 * What is ahead of an entry. One read serves every waiting entry of an event, however many callers there are. An entry's
 * position is the number of entries ahead that could take the same seats, plus one.
 */
export interface Positions {
  /** By a read that begins after the call. */
  now(entry: PositionedEntry): Promise<Ahead>
  /** Up to about 3 s old: for the many fans that only watch. */
  recent(entry: PositionedEntry): Promise<Ahead>
}

export interface PositionsDeps {
  read(eventId: string): Promise<WaitingRow[]>
  catalogue: { event(eventId: string): MaybePromise<Pick<CatalogueEvent, 'sections'> | null> }
}

/** The entries that wait for the same seats. */
interface Group extends Omit<WaitingRow, 'quantities'> {
  /** The tickets of all entries before the one with this index. */
  readonly ticketsBefore: readonly number[]
}

const KEPT_MS = 3_000

export function createPositions({ read, catalogue }: PositionsDeps): Positions {
  const reads = createSharedReads<Group[]>()
  const kept = createSingleFlights<Group[]>({ keptMs: KEPT_MS })

  const readNow = (eventId: string) =>
    reads.read(eventId, async () => (await read(eventId)).map((row) => toGroup(row)))

  const readRecent = (eventId: string) => kept.run(eventId, () => readNow(eventId))

  async function aheadOf(entry: PositionedEntry, reading: Promise<Group[]>): Promise<Ahead> {
    const event = await catalogue.event(entry.eventId)
    const levelsOf = (sectionNo: number) => event?.sections.find(({ no }) => no === sectionNo)?.levelNos ?? []
    let [entries, tickets] = [0, 0]
    for (const group of await reading) {
      if (group.forWheelchairs !== entry.wheelchairSeats > 0) continue
      if (!group.wishes.some((a) => entry.wishes.some((b) => mayTakeSameSeats(a, b, levelsOf)))) continue
      const before = countBelow(group.nos, entry.no)
      entries += before
      tickets += group.ticketsBefore[before] as number
    }
    return { entries, tickets }
  }

  return {
    now: (entry) => aheadOf(entry, readNow(entry.eventId)),
    recent: (entry) => aheadOf(entry, readRecent(entry.eventId)),
  }
}

function toGroup({ quantities, ...row }: WaitingRow): Group {
  const ticketsBefore = [0]
  for (const quantity of quantities) ticketsBefore.push((ticketsBefore.at(-1) as number) + quantity)
  return { ...row, ticketsBefore }
}

/** True where some section and price level fits both wishes. */
function mayTakeSameSeats(a: Wish, b: Wish, levelsOf: (sectionNo: number) => readonly number[]): boolean {
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
