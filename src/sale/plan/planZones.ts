import type { FaultChecks, Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import { asText, isObject, readList, readName, readPosition } from './planValues.ts'
import type { PlanCategory, PlanPoint, PlanRow, PlanSeat } from './seatingPlan.ts'
import { createSeatNames } from './seatNames.ts'

export interface ZoneReader {
  /** Reads the rows and seats of a zone; `name` is what fans read. */
  (zone: Record<string, unknown>, path: Path, name: string): { seats: PlanSeat[]; rows: PlanRow[] }
  /** Adds the faults of ids and names that several seats have. Call it after the last zone. */
  reportNames(): void
}

export function createZoneReader(categories: readonly PlanCategory[], faults: FaultChecks): ZoneReader {
  const categoryByKey = new Map(categories.map(({ key }, i) => [key, i]))
  const names = createSeatNames()

  function readRows(zone: Record<string, unknown>, path: Path, section: string) {
    const origin = readPosition(zone.position, [...path, 'position'], faults)
    const seats: PlanSeat[] = []
    const rows: PlanRow[] = []
    for (const [i, row] of readList(zone.rows, [...path, 'rows'], faults).entries()) {
      const at = [...path, 'rows', i]
      rows.push(isObject(row) ? readRow(row, at, faults) : { label: '', labelEnds: null })
      if (!isObject(row)) {
        faults.add(at, 'must be an object with seats')
        continue
      }
      const offset = readPosition(row.position, [...at, 'position'], faults)
      const shared = {
        label: (rows[i] as PlanRow).label,
        index: i,
        rowLabel: readName(row.row_label, [...at, 'row_label'], faults) || null,
        seatLabel: readName(row.seat_label, [...at, 'seat_label'], faults) || null,
        x: origin.x + offset.x,
        y: origin.y + offset.y,
      }
      for (const [n, given] of readList(row.seats, [...at, 'seats'], faults).entries()) {
        const seat = readSeat(given, [...at, 'seats', n], shared)
        seats.push(seat)
        names.add(section, seat, [...at, 'seats', n])
      }
    }
    return { seats, rows }
  }

  function readSeat(seat: unknown, path: Path, row: RowOfSeat): PlanSeat {
    if (!isObject(seat)) {
      faults.add(path, 'must be an object with seat_guid, position and category')
      return NO_SEAT
    }
    // Early editors wrote a uuid and no seat_guid.
    const key = faults.text([...path, 'seat_guid'], asText(seat.seat_guid ?? seat.uuid))
    if (seat.position == null) faults.add([...path, 'position'], 'is missing: a seat needs a position')
    const { x, y } = readPosition(seat.position, [...path, 'position'], faults)
    const category = faults.text([...path, 'category'], asText(seat.category))
    const index = categoryByKey.get(category)
    if (index === undefined && category !== '')
      faults.add([...path, 'category'], `"${category}" is none of the plan's categories`)
    const number = readName(seat.seat_number, [...path, 'seat_number'], faults)
    return {
      key,
      row: row.label,
      planRow: row.index,
      number,
      rowLabel: row.rowLabel,
      seatLabel: row.seatLabel && withNumber(row.seatLabel, number),
      x: row.x + x,
      y: row.y + y,
      radius: seat.radius == null ? null : faults.number([...path, 'radius'], seat.radius, RANGES.planSize),
      category: index ?? 0,
      wheelchair: seat.wheelchair === true,
      companionOf:
        seat.companion_of == null
          ? null
          : faults.text([...path, 'companion_of'], asText(seat.companion_of)) || null,
    }
  }

  const readZone = (zone: Record<string, unknown>, path: Path, name: string) => {
    const read = readRows(zone, path, name)
    checkCompanions(zone, path, read.seats, faults)
    checkLengths(path, read.seats, faults)
    return read
  }
  return Object.assign(readZone, { reportNames: () => names.reportTo(faults) })
}

interface RowOfSeat extends PlanPoint {
  readonly label: string
  readonly index: number
  readonly rowLabel: string | null
  readonly seatLabel: string | null
}

const NO_SEAT: PlanSeat = {
  key: '',
  row: '',
  planRow: 0,
  number: '',
  rowLabel: null,
  seatLabel: null,
  x: 0,
  y: 0,
  radius: null,
  category: 0,
  wheelchair: false,
  companionOf: null,
}

function readRow(row: Record<string, unknown>, path: Path, faults: FaultChecks): PlanRow {
  return {
    label: readName(row.row_number, [...path, 'row_number'], faults),
    labelEnds: LABEL_ENDS[row.row_number_position as string] ?? null,
  }
}

/** The format has start, end and both; some editors write left and right. */
const LABEL_ENDS: Readonly<Record<string, NonNullable<PlanRow['labelEnds']>>> = {
  start: 'start',
  left: 'start',
  end: 'end',
  right: 'end',
  both: 'both',
}

/** The format's `seat_label` may have %s where the number belongs. */
function withNumber(seatLabel: string, number: string): string {
  return seatLabel.includes('%s') ? seatLabel.replaceAll('%s', () => number) : `${seatLabel} ${number}`
}

/**
 * Of the rows of one label, which may be one row. Its seats and aisles have numbers below 65,536: see
 * prisma/functions/ring_size.sql.
 */
const MOST_SEATS_OF_LABEL = 30_000

function checkLengths(path: Path, seats: readonly PlanSeat[], faults: FaultChecks) {
  if (seats.length <= MOST_SEATS_OF_LABEL) return
  const labels = Map.groupBy(seats, ({ row, planRow }) => (row === '' ? planRow : row))
  for (const [label, { length }] of labels)
    if (length > MOST_SEATS_OF_LABEL)
      faults.add(
        [...path, 'rows'],
        `row "${label}" has ${length} seats; rows of one label can have at most ${MOST_SEATS_OF_LABEL}`,
      )
}

/** `companion_of` is an extension of ours: the format has wheelchair seats, but no companion seats. */
function checkCompanions(
  zone: Record<string, unknown>,
  path: Path,
  seats: readonly PlanSeat[],
  faults: FaultChecks,
) {
  if (seats.every(({ companionOf }) => companionOf === null)) return
  const byKey = new Map(seats.map((seat) => [seat.key, seat]))
  let next = 0
  for (const [i, row] of (zone.rows as unknown[]).entries()) {
    const listed = isObject(row) && Array.isArray(row.seats) ? row.seats : []
    for (const n of listed.keys()) {
      const seat = seats[next++]
      if (seat?.companionOf == null) continue
      const at = [...path, 'rows', i, 'seats', n, 'companion_of']
      const wheelchairSeat = byKey.get(seat.companionOf)
      if (seat.wheelchair) faults.add(at, 'a wheelchair seat cannot be a companion seat')
      else if (!wheelchairSeat) faults.add(at, `"${seat.companionOf}" is no seat of this zone`)
      else if (!wheelchairSeat.wheelchair)
        faults.add(at, `"${seat.companionOf}" is no wheelchair seat: it needs "wheelchair": true`)
    }
  }
}
