import { type ReadonlySignal, signal } from '@preact/signals'
import { AVAILABLE, type Section } from '../../../sdk/index.ts'
import type { SectionPlan } from './geometry/sectionPlan.ts'

/** What the fan looks for. It is kept from section to section. */
export interface Filters {
  /** Ids of price levels; empty: every price. */
  readonly levels: ReadonlySignal<ReadonlySet<string>>
  /** Only spaces for wheelchairs and their companion seats. */
  readonly wheelchair: ReadonlySignal<boolean>
  /** The number of free seats side by side; 1: any. */
  readonly together: ReadonlySignal<number>
  toggleLevel(id: string): void
  toggleWheelchair(): void
  setTogether(seats: number): void
  clear(): void
}

export interface Wanted {
  readonly levels: ReadonlySet<string>
  readonly wheelchair: boolean
  readonly together: number
}

function createFilters(): Filters {
  const levels = signal<ReadonlySet<string>>(new Set())
  const wheelchair = signal(false)
  const together = signal(1)
  return {
    levels,
    wheelchair,
    together,
    toggleLevel(id) {
      const next = new Set(levels.value)
      if (!next.delete(id)) next.add(id)
      levels.value = next
    },
    toggleWheelchair() {
      wheelchair.value = !wheelchair.value
    },
    setTogether(seats) {
      together.value = seats
    },
    clear() {
      levels.value = new Set()
      wheelchair.value = false
      together.value = 1
    },
  }
}

/** A page shows one event, so it has one set of filters. */
export const filters = createFilters()

export function wanted(): Wanted {
  return {
    levels: filters.levels.value,
    wheelchair: filters.wheelchair.value,
    together: filters.together.value,
  }
}

export function isAnything({ levels, wheelchair, together }: Wanted): boolean {
  return levels.size === 0 && !wheelchair && together <= 1
}

/**
 * True where a section may have what the fan looks for. Only its seats show for certain which of them are side by side.
 */
export function mayMatch(
  { levels, wheelchair, together }: Wanted,
  section: Pick<Section, 'priceLevels'>,
  free: number,
  wheelchairSeats: number,
): boolean {
  if (levels.size > 0 && !section.priceLevels.some(({ id }) => levels.has(id))) return false
  if (wheelchair && wheelchairSeats === 0) return false
  return free >= together
}

/**
 * Returns 1 for each seat of a section that matches, or null where the fan looks for nothing special. A seat that is not
 * free matches nothing, except while the statuses are not known.
 */
export function matchingSeats(
  { levels, wheelchair, together }: Wanted,
  { seats, runs }: Pick<SectionPlan, 'seats' | 'runs'>,
  statuses: Uint8Array | null,
): Uint8Array | null {
  if (isAnything({ levels, wheelchair, together })) return null
  const matches = Uint8Array.from(seats, (seat, i) => {
    if (statuses && statuses[i] !== AVAILABLE) return 0
    if (levels.size > 0 && !levels.has(seat.priceLevelId)) return 0
    return wheelchair && !seat.wheelchair && seat.companionOf === null ? 0 : 1
  })
  if (together > 1) for (const run of runs) keepBlocks(matches, run, together)
  return matches
}

/** Clears the matches of a run that have fewer than `length` matches side by side. */
function keepBlocks(matches: Uint8Array, run: readonly number[], length: number) {
  let start = 0
  for (let i = 0; i <= run.length; i++) {
    if (i < run.length && matches[run[i] as number]) continue
    if (i - start < length) for (let j = start; j < i; j++) matches[run[j] as number] = 0
    start = i + 1
  }
}
