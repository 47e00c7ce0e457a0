import { setTimeout as sleep } from 'node:timers/promises'
import { AVAILABLE } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import { readSeats } from '../../sql/seats.ts'
import type { CatalogueEvent, CatalogueSection } from '../catalogue/catalogue.ts'
import { type PackedSeats, unpackSeats } from '../map/packedSeats.ts'
import { statusAt } from '../map/packedStatuses.ts'
import type { SeatMap, SectionSnapshot } from '../map/seatMap.ts'

/**
 * The map may be two seconds old, and is read some time after the seats. Several comparisons, spread over more than
 * that, separate a lag from an error.
 */
const COMPARISONS = 4
const BETWEEN_MS = 1_000

/** Seats that differ, each with its revision in the database. For general admission: `UNITS`, with the revisions' sum. */
type Differing = ReadonlyMap<number, number>
const UNITS = -1

/**
 * Returns the sections whose map differs from the seats, and the difference. A seat whose revision changes between two
 * comparisons is in order: the map was behind, or ahead.
 *
 * Throws while the map cannot be read.
 */
export async function compareMap(
  { db, seatMap }: { db: Database; seatMap: Pick<SeatMap, 'section'> },
  { id: eventId, sections }: CatalogueEvent,
): Promise<{ section: CatalogueSection; detail: string }[]> {
  let suspects = await compare(sections)
  for (let i = 1; i < COMPARISONS && suspects.size > 0; i++) {
    await sleep(BETWEEN_MS)
    const before = suspects
    suspects = await compare([...before.keys()])
    for (const [section, differing] of suspects) {
      const still = new Map(
        [...differing].filter(([no, revision]) => before.get(section)?.get(no) === revision),
      )
      if (still.size > 0) suspects.set(section, still)
      else suspects.delete(section)
    }
  }
  return Array.from(suspects, ([section, differing]) => ({ section, detail: describe(section, differing) }))

  async function compare(at: readonly CatalogueSection[]): Promise<Map<CatalogueSection, Differing>> {
    const nos = at.map(({ no }) => no)
    const seats = new Map((await readSeats(db, eventId, nos)).map((row) => [row.sectionNo, row.seats]))
    const found = new Map<CatalogueSection, Differing>()
    for (const section of at) {
      const differing = differences(
        section,
        unpackSeats(seats.get(section.no) ?? new Uint8Array()),
        await seatMap.section(eventId, section.no),
      )
      if (differing.size > 0) found.set(section, differing)
    }
    return found
  }
}

function differences(section: CatalogueSection, seats: PackedSeats, map: SectionSnapshot): Differing {
  const indexes = Array.from({ length: seats.length }, (_, index) => index)
  if (section.kind === 'GENERAL_ADMISSION') {
    const available = indexes.filter((index) => seats.status(index) === AVAILABLE).length
    const revisions = indexes.reduce((sum, index) => sum + seats.revision(index), 0)
    return new Map(available === map.available ? [] : [[UNITS, revisions]])
  }
  const { statuses } = map
  if (!statuses) throw new Error('the map has no statuses: Redis is away')
  return new Map(
    indexes
      .filter((index) => seats.status(index) !== statusAt(statuses, index))
      .map((index) => [section.firstSeat + index, seats.revision(index)]),
  )
}

function describe({ key }: CatalogueSection, differing: Differing): string {
  if (differing.has(UNITS)) return `section ${key}: the number of units available`
  const nos = [...differing.keys()]
  const named = nos.slice(0, 10).join(', ')
  return `section ${key}: ${nos.length} seats, numbers ${named}${nos.length > 10 ? ', …' : ''}`
}
