import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../sql/database.ts'
import { readSeats } from '../../sql/seats.ts'
import type { CatalogueEvent, CatalogueSection } from '../catalogue/catalogue.ts'
import { statusAt } from '../map/packedStatuses.ts'
import type { SeatMap, SectionSnapshot } from '../map/seatMap.ts'
import { AVAILABLE } from '../map/seatStatus.ts'

/** The map may be two seconds old, and is read some time after the seats: looks that far apart tell a lag from an error. */
const LOOKS = 4
const BETWEEN_MS = 1_000

/** Seats that differ, each with the revision it has in the database; for general admission `PLACES`, with their sum. */
type Differing = ReadonlyMap<number, number>
const PLACES = -1

/**
 * Sections whose map differs from the seats, and how. What has changed from one look to the next is in order: the map
 * was behind then, or ahead.
 *
 * Throws while the map cannot be read.
 */
export async function compareMap(
  { db, seatMap }: { db: Database; seatMap: Pick<SeatMap, 'section'> },
  { id: eventId, sections }: CatalogueEvent,
): Promise<{ section: CatalogueSection; detail: string }[]> {
  let suspects = await look(sections)
  for (let i = 1; i < LOOKS && suspects.size > 0; i++) {
    await sleep(BETWEEN_MS)
    const before = suspects
    suspects = await look([...before.keys()])
    for (const [section, differing] of suspects) {
      const still = new Map(
        [...differing].filter(([no, revision]) => before.get(section)?.get(no) === revision),
      )
      if (still.size > 0) suspects.set(section, still)
      else suspects.delete(section)
    }
  }
  return Array.from(suspects, ([section, differing]) => ({ section, detail: tell(section, differing) }))

  async function look(at: readonly CatalogueSection[]): Promise<Map<CatalogueSection, Differing>> {
    const nos = at.map(({ no }) => no)
    const seats = new Map((await readSeats(db, eventId, nos)).map((row) => [row.section_no, row.seats]))
    const found = new Map<CatalogueSection, Differing>()
    for (const section of at) {
      const differing = differences(
        section,
        unpack(seats.get(section.no) ?? new Uint8Array()),
        await seatMap.section(eventId, section.no),
      )
      if (differing.size > 0) found.set(section, differing)
    }
    return found
  }
}

function differences(
  section: CatalogueSection,
  seats: { status: number; revision: number }[],
  map: SectionSnapshot,
): Differing {
  if (section.kind === 'GENERAL_ADMISSION') {
    const available = seats.filter(({ status }) => status === AVAILABLE).length
    const revisions = seats.reduce((sum, { revision }) => sum + revision, 0)
    return new Map(available === map.available ? [] : [[PLACES, revisions]])
  }
  const { statuses } = map
  if (!statuses) throw new Error('it has no statuses: Redis is away')
  return new Map(
    seats.flatMap(({ status, revision }, index) =>
      status === statusAt(statuses, index) ? [] : [[section.firstSeat + index, revision] as const],
    ),
  )
}

/** See readSeats: 4 bytes a seat, 4 · revision + status. */
function unpack(seats: Uint8Array): { status: number; revision: number }[] {
  const bytes = Buffer.from(seats.buffer, seats.byteOffset, seats.byteLength)
  return Array.from({ length: bytes.length / 4 }, (_, i) => {
    const word = bytes.readUInt32BE(4 * i)
    return { status: word & 3, revision: word >>> 2 }
  })
}

function tell({ key }: CatalogueSection, differing: Differing): string {
  if (differing.has(PLACES)) return `section ${key}: the number of places available`
  const nos = [...differing.keys()]
  const named = nos.slice(0, 10).join(', ')
  return `section ${key}: ${nos.length} seats, numbers ${named}${nos.length > 10 ? ', …' : ''}`
}
