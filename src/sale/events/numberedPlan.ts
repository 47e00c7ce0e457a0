import { createHash } from 'node:crypto'
import type { NewSeat } from '../../sql/events.ts'
import type { LayoutSeat, SectionRow } from '../../sql/plans.ts'
import { planId } from '../ids.ts'
import type { PlanSeat, SeatingPlan } from './seatingPlan.ts'
import { locateSeats } from './seatRows.ts'

export interface Area {
  readonly key: string
  readonly name: string
  readonly capacity: number
  readonly outline: { x: number; y: number }[]
}

/** Returns sections in plan order, then areas. Seats and units have one sequence of numbers, from 1. */
export function numberPlan(eventId: string, plan: SeatingPlan | null, areas: readonly Area[]) {
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

  const positions = locateSeats(plan?.sections ?? [])
  for (const [i, { key, name, seats: planned }] of plan?.sections.entries() ?? []) {
    const firstSeat = seats.length + 1
    const nos = new Map(planned.map((seat, index) => [seat.key, firstSeat + index]))
    const wheelchairSeat = ({ companionOf }: PlanSeat) =>
      companionOf === null ? null : (nos.get(companionOf) ?? null)
    const layout = planned.map((seat, index): LayoutSeat => {
      const { category, planRow: _, ...shown } = seat
      const companionOf = wheelchairSeat(seat)
      return {
        id: planId('seat', eventId, firstSeat + index),
        ...shown,
        index,
        priceLevelId: planId('lvl', eventId, category + 1),
        companionOf: companionOf === null ? null : planId('seat', eventId, companionOf),
      }
    })
    const levelNos = [...new Set(planned.map(({ category }) => category + 1))].sort((a, b) => a - b)
    add({ key, name, kind: 'SEATED', capacity: planned.length, levelNos, outline: [], layout })
    for (const [index, seat] of planned.entries())
      seats.push({
        no: firstSeat + index,
        sectionNo: sections.length,
        levelNo: seat.category + 1,
        key: seat.key,
        place: positions[i]?.[index] ?? null,
        wheelchair: seat.wheelchair,
        companionOf: wheelchairSeat(seat),
      })
  }
  const prefixes = new Set<string>()
  const isTaken = (prefix: string) =>
    prefixes.has(prefix) || plan?.sections.some((s) => s.seats.some((seat) => seat.key.startsWith(prefix)))
  for (const [i, { key, name, capacity, outline }] of areas.entries()) {
    const levelNo = (plan?.categories.length ?? 0) + i + 1
    add({ key, name, kind: 'GENERAL_ADMISSION', capacity, levelNos: [levelNo], outline, layout: [] })
    // No request names a unit by its key. The key only has to differ from every seat's key.
    let prefix = `${key}/`
    while (isTaken(prefix)) prefix = `/${prefix}`
    prefixes.add(prefix)
    for (let unit = 1; unit <= capacity; unit++)
      seats.push({
        no: seats.length + 1,
        sectionNo: sections.length,
        levelNo,
        key: `${prefix}${unit}`,
        place: null,
        wheelchair: false,
        companionOf: null,
      })
  }
  return { sections, seats }
}

function hashOf(layout: readonly LayoutSeat[]): string {
  return createHash('sha256').update(JSON.stringify(layout)).digest('hex').slice(0, 24)
}
