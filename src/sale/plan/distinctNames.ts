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
  // The last suffix of each number, by label. A search for the first free one would compare every two rows of one label.
  const lastSuffixes = new Map<string, Map<string, number>>()
  const suffixes = section.rows.map(() => '')
  for (const [planRow, seats] of Map.groupBy(section.seats, (seat) => seat.planRow)) {
    const own = seats.filter(({ number }) => number !== '').map(({ number }) => number)
    const [{ row, rowLabel }] = seats as [PlanSeat]
    const label = rowLabel ?? row
    const last = lastSuffixes.get(label) ?? new Map<string, number>()
    lastSuffixes.set(label, last)
    const n = 1 + own.reduce((most, number) => Math.max(most, last.get(number) ?? 0), 0)
    for (const number of own) last.set(number, n)
    if (n > 1) suffixes[planRow] = ` (${n})`
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
