import { type BestSeats, hallView } from './bestSeats.ts'
import type { PlanPoint, SeatingPlan } from './seatingPlan.ts'
import { type Row, rowsOf } from './sectionRows.ts'
import { acrossTables } from './tables.ts'

/** A seat's position among the other seats. It follows from the plan and never changes. */
export interface SeatPosition {
  /** The event's rows from 1, in the order of their best seats' ranks. */
  readonly rowNo: number
  /** From 1 along the row. Two seats whose numbers differ by one are side by side: an aisle skips a number. */
  readonly position: number
  /** The number of seats of the row where its last seat is beside its first; null for any other row. */
  readonly ringSize: number | null
  /** Index within the section of the seat across the table. */
  readonly across: number | null
  /** 1 is the best seat of the event. */
  readonly rank: number
}

export interface LocatedPlan {
  /** By section, then by seat. */
  readonly positions: readonly SeatPosition[][]
  /** The middle of what the seats look at; null where it is unknown. */
  readonly focus: PlanPoint | null
}

/** Finds the rows of a plan, the neighbours in them, and the rank of each seat. */
export function locateSeats(plan: SeatingPlan, best: BestSeats | null = null): LocatedPlan {
  const sections = plan.sections.map(({ seats }) => ({ seats, rows: rowsOf(seats) }))
  const view = hallView(plan, sections, best)
  const classes = new Map(best?.categories.map((key, i) => [key, i]))
  const classOf = plan.categories.map(({ key }) => classes.get(key) ?? classes.size)
  const ranked = sections
    .flatMap(({ seats, rows }, section) =>
      rows.flatMap((row) =>
        row.seats.map((seat, i) => {
          const planned = seats[seat] as (typeof seats)[number]
          return {
            section,
            row,
            seat,
            position: row.positions[i] as number,
            class: classOf[planned.category] ?? classes.size,
            // Seats that are equally good on paper differ in the last digits.
            cost: round(view.cost(planned)),
            depth: round(view.depth(planned)),
          }
        }),
      ),
    )
    .sort(
      (a, b) =>
        a.class - b.class || a.cost - b.cost || a.depth - b.depth || a.section - b.section || a.seat - b.seat,
    )
  const across = sections.map(({ seats, rows }) => acrossTables(seats, rows))
  const rowNos = new Map<Row, number>()
  const positions: SeatPosition[][] = sections.map(() => [])
  for (const [i, { section, row, seat, position }] of ranked.entries()) {
    const rowNo = rowNos.get(row) ?? rowNos.size + 1
    rowNos.set(row, rowNo)
    ;(positions[section] as SeatPosition[])[seat] = {
      rowNo,
      position,
      ringSize: row.isRing ? row.seats.length : null,
      across: across[section]?.get(seat) ?? null,
      rank: i + 1,
    }
  }
  return { positions, focus: view.focus }
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
