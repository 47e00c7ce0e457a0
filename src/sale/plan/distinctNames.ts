import type { PlanSeat, PlanSection } from './seatingPlan.ts'

/**
 * Returns the sections with names that distinguish their seats: no two tickets read alike. Plans repeat the names of rows,
 * and of zones, on both sides of a hall. Where two sections of one name have a seat in common, the later one gets its key
 * as its name. Where two rows of one label have a number in common, the later one gets a label such as "5 (2)".
 */
export function withDistinctNames(sections: readonly PlanSection[]): PlanSection[] {
  const seen = new Map<string, Set<string>>()
  return sections.map(withDistinctRows).map((section) => {
    const names = section.seats.filter(({ number }) => number !== '').map(nameInSection)
    const known = seen.get(section.name) ?? new Set()
    seen.set(section.name, known)
    const isRepeated = names.some((name) => known.has(name))
    for (const name of names) known.add(name)
    return isRepeated ? { ...section, name: section.key } : section
  })
}

function withDistinctRows(section: PlanSection): PlanSection {
  const numbers = new Map<string, Set<string>>()
  const suffixes = section.rows.map(() => '')
  for (const [planRow, seats] of Map.groupBy(section.seats, (seat) => seat.planRow)) {
    const own = seats.filter(({ number }) => number !== '').map(({ number }) => number)
    const [{ row, rowLabel }] = seats as [PlanSeat]
    for (let n = 1; ; n++) {
      const suffix = n === 1 ? '' : ` (${n})`
      const label = `${rowLabel ?? row}${suffix}`
      const taken = numbers.get(label) ?? new Set()
      if (own.some((number) => taken.has(number))) continue
      numbers.set(label, taken)
      for (const number of own) taken.add(number)
      suffixes[planRow] = suffix
      break
    }
  }
  if (suffixes.every((suffix) => suffix === '')) return section
  return {
    ...section,
    rows: section.rows.map((row, i) => ({ ...row, label: `${row.label}${suffixes[i]}`.trim() })),
    seats: section.seats.map((seat) => {
      const suffix = suffixes[seat.planRow] as string
      return {
        ...seat,
        row: `${seat.row}${suffix}`.trim(),
        rowLabel: seat.rowLabel && `${seat.rowLabel}${suffix}`,
      }
    }),
  }
}

function nameInSection({ row, rowLabel, number }: PlanSeat): string {
  return JSON.stringify([rowLabel ?? row, number])
}
