import { createHash } from 'node:crypto'
import type { NewSeat } from '../../sql/events/eventRows.ts'
import type { AreaRow, LayoutSeat, SectionRow } from '../../sql/plans.ts'
import { planId } from '../ids.ts'
import type { BestSeats } from './bestSeats.ts'
import { locateSeats, type SeatPosition } from './locateSeats.ts'
import { rowLabelPoints } from './rowLabels.ts'
import type { PlanPoint, PlanSeat, PlanSection, SeatingPlan } from './seatingPlan.ts'

/** An area of general admission. */
export interface Area {
  readonly key: string
  readonly name: string
  readonly capacity: number
  readonly outline: { x: number; y: number }[]
}

export interface NumberedPlan {
  /** Sections in plan order, then areas of general admission. */
  readonly sections: SectionRow[]
  /** Seats and units have one sequence of numbers, from 1. */
  readonly seats: NewSeat[]
  /** What the plan draws besides seats. */
  readonly drawn: AreaRow[]
  readonly focus: PlanPoint | null
}

/** `offSale`: keys of the categories whose seats are not for sale. */
export function numberPlan(
  eventId: string,
  plan: SeatingPlan | null,
  areas: readonly Area[],
  { best = null, offSale = new Set() }: { best?: BestSeats | null; offSale?: ReadonlySet<string> } = {},
): NumberedPlan {
  const sections: SectionRow[] = []
  const seats: NewSeat[] = []
  const add = (section: Omit<SectionRow, 'eventId' | 'no' | 'firstSeat' | 'layoutHash'>) =>
    sections.push({
      ...section,
      eventId,
      no: sections.length + 1,
      firstSeat: seats.length + 1,
      layoutHash: hashOf(section.layout),
    })

  const located = plan ? locateSeats(plan, best) : { positions: [], focus: null }
  for (const [i, section] of plan?.sections.entries() ?? []) {
    const { key, name, seats: planned } = section
    const firstSeat = seats.length + 1
    const positions = located.positions[i] as SeatPosition[]
    const nos = new Map(planned.map((seat, index) => [seat.key, firstSeat + index]))
    const companionOf = (seat: PlanSeat) =>
      seat.companionOf === null ? null : (nos.get(seat.companionOf) ?? null)
    const levelNos = [...new Set(planned.map(({ category }) => category + 1))].sort((a, b) => a - b)
    const layout = layoutOf(eventId, section, firstSeat, positions, companionOf)
    add({ key, name, kind: 'SEATED', capacity: planned.length, levelNos, outline: [], layout })
    for (const [index, seat] of planned.entries()) {
      const { rowNo, position, ringSize, across, rank } = positions[index] as SeatPosition
      seats.push({
        no: firstSeat + index,
        sectionNo: sections.length,
        levelNo: seat.category + 1,
        key: seat.key,
        row: { no: rowNo, position, ringSize },
        rank,
        across: across === null ? null : firstSeat + across,
        wheelchair: seat.wheelchair,
        companionOf: companionOf(seat),
        forSale: !offSale.has(plan?.categories[seat.category]?.key ?? ''),
      })
    }
  }
  const sectionNos = new Map(sections.map(({ key, no }) => [key, no]))
  const drawn = (plan?.areas ?? []).map(
    ({ section, points, ...area }): AreaRow => ({
      ...area,
      points: [...points],
      sectionId: section === null ? null : planId('sec', eventId, sectionNos.get(section) as number),
    }),
  )

  const prefixes = new Set<string>()
  const slashed =
    plan?.sections.flatMap((s) => s.seats.map((seat) => seat.key)).filter((k) => k.includes('/')) ?? []
  const slashes = slashed.reduce((most, k) => Math.max(most, k.length - k.replace(/^\/+/, '').length), 0)
  for (const [i, { key, name, capacity, outline }] of areas.entries()) {
    const levelNo = (plan?.categories.length ?? 0) + i + 1
    add({ key, name, kind: 'GENERAL_ADMISSION', capacity, levelNos: [levelNo], outline, layout: [] })
    // No request names a unit by its key. The key only has to differ from every seat's key.
    let prefix = `${key}/`
    // More slashes in front than any seat's key has: longer by one at a time, each prefix would be compared with each key.
    if (slashed.some((seatKey) => seatKey.startsWith(prefix))) prefix = `${'/'.repeat(slashes + 1)}${prefix}`
    while (prefixes.has(prefix)) prefix = `/${prefix}`
    prefixes.add(prefix)
    for (let unit = 1; unit <= capacity; unit++)
      seats.push({
        no: seats.length + 1,
        sectionNo: sections.length,
        levelNo,
        key: `${prefix}${unit}`,
        row: null,
        rank: null,
        across: null,
        wheelchair: false,
        companionOf: null,
        forSale: true,
      })
  }
  return { sections, seats, drawn, focus: located.focus }
}

function layoutOf(
  eventId: string,
  section: PlanSection,
  firstSeat: number,
  positions: readonly SeatPosition[],
  companionOf: (seat: PlanSeat) => number | null,
): LayoutSeat[] {
  const labels = rowLabelPoints(section)
  const seatId = (no: number) => planId('seat', eventId, no)
  return section.seats.map((seat, index): LayoutSeat => {
    const { rowNo, position, ringSize, across, rank } = positions[index] as SeatPosition
    const companion = companionOf(seat)
    const rowLabels = labels.get(index)
    return {
      id: seatId(firstSeat + index),
      key: seat.key,
      row: seat.row,
      number: seat.number,
      x: seat.x,
      y: seat.y,
      wheelchair: seat.wheelchair,
      companionOf: companion === null ? null : seatId(companion),
      index,
      priceLevelId: planId('lvl', eventId, seat.category + 1),
      rowIndex: seat.planRow,
      run: rowNo,
      runPosition: position,
      ...(ringSize !== null && { ring: true }),
      ...(across !== null && { across: seatId(firstSeat + across) }),
      rank,
      ...(rowLabels && { rowLabels }),
      ...(seat.rowLabel !== null && { rowLabel: seat.rowLabel }),
      ...(seat.seatLabel !== null && { seatLabel: seat.seatLabel }),
      ...(seat.radius !== null && { radius: seat.radius }),
    }
  })
}

function hashOf(layout: readonly LayoutSeat[]): string {
  return createHash('sha256').update(JSON.stringify(layout)).digest('hex').slice(0, 24)
}
