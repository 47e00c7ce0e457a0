import type { Wish } from '../../src/sql/waitlist.ts'
import type { TestDatabase } from './database.ts'

/** A seat or a unit of general admission; `row` is null for the latter. */
export interface ModelSeat {
  readonly no: number
  readonly section: number
  readonly level: number
  readonly row: number | null
  readonly place: number
  readonly wheelchair: boolean
  readonly companionOf: number | null
  readonly free: boolean
}

export interface ModelEntry {
  readonly id: string
  readonly quantity: number
  readonly fewer: boolean
  readonly together: boolean | null
  readonly wheelchairs: number
  readonly wishes: readonly Wish[]
}

export function readSeats(db: TestDatabase, eventId: string): Promise<ModelSeat[]> {
  return db.sql<{ [K in keyof ModelSeat]: ModelSeat[K] }>(
    `select no, section_no::int as section, level_no::int as level, row_no as row, coalesce(row_place, 0) as place, wheelchair,
       companion_of as "companionOf", is_free(status, held_until) as free
     from seats where event_id = $1 order by no`,
    [eventId],
  )
}

/** The entries that wait, in the order of joining. */
export function readEntries(db: TestDatabase, eventId: string): Promise<ModelEntry[]> {
  return db.sql<{ [K in keyof ModelEntry]: ModelEntry[K] }>(
    `select w.id, quantity, accept_fewer as fewer, together, wheelchair_seats as wheelchairs, (
       select json_agg(json_build_object('sectionNo', x.section_no, 'levelNo', x.level_no) order by x.nth)
       from wishes_of(w.section_no, w.level_no, w.else_sections, w.else_levels) x) as wishes
     from waitlist_entries w where event_id = $1 and state = 'WAITING' order by w.no`,
    [eventId],
  )
}

export const needOf = ({ fewer, wheelchairs, quantity }: ModelEntry) =>
  fewer ? Math.max(1, wheelchairs) : quantity

export const isCovered = ({ sectionNo, levelNo }: Wish, { section, level }: ModelSeat) =>
  (sectionNo === null || sectionNo === section) && (levelNo === null || levelNo === level)

const isUsual = ({ wheelchair, companionOf }: ModelSeat) => !wheelchair && companionOf === null

/** Every set of free seats side by side, as long as possible. */
export function runsOf(seats: readonly ModelSeat[]): ModelSeat[][] {
  const runs: ModelSeat[][] = []
  for (const seat of [...seats].sort((a, b) => (a.row ?? 0) - (b.row ?? 0) || a.place - b.place)) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (last && before?.row === seat.row && before.place + 1 === seat.place) last.push(seat)
    else runs.push([seat])
  }
  return runs
}

/** The sets of free seats that could serve a wish: an offer takes its seats from one of them. Found by trying everything. */
export function choicesOf(entry: ModelEntry, wish: Wish, seats: readonly ModelSeat[]): ModelSeat[][] {
  const free = seats.filter((seat) => seat.free)
  if (entry.wheelchairs > 0) {
    const places = free.filter((seat) => seat.wheelchair && isCovered(wish, seat))
    return subsets(places, entry.wheelchairs)
      .filter((chosen) => new Set(chosen.map(({ section }) => section)).size === 1)
      .map((chosen) => [
        ...chosen,
        ...free.filter(({ companionOf }) => chosen.some(({ no }) => no === companionOf)),
      ])
  }
  const usual = free.filter((seat) => isUsual(seat) && isCovered(wish, seat))
  const seated = usual.filter(({ row }) => row !== null)
  const areas = new Map<number, ModelSeat[]>()
  for (const unit of usual.filter(({ row }) => row === null))
    areas.set(unit.section, [...(areas.get(unit.section) ?? []), unit])
  return [...(entry.together ? runsOf(seated) : [seated]), ...areas.values()]
}

function subsets<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]))
}

/** The wish that an entry gets from these seats, and how many of them: null where nothing fits it. */
export function offerFor(entry: ModelEntry, seats: readonly ModelSeat[]) {
  for (const wish of entry.wishes) {
    const most = Math.max(0, ...choicesOf(entry, wish, seats).map(({ length }) => length))
    if (most >= needOf(entry)) return { wish, size: Math.min(most, entry.quantity) }
  }
  return null
}

/** True where an entry needs this free seat: with others that are free it fits the entry. */
export function isNeeded(entry: ModelEntry, { no }: ModelSeat, seats: readonly ModelSeat[]): boolean {
  return entry.wishes.some((wish) =>
    choicesOf(entry, wish, seats).some(
      (choice) => choice.length >= needOf(entry) && choice.some((seat) => seat.no === no),
    ),
  )
}
