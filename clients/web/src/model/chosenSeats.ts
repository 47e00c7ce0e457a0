import type { HoldItem, PriceLevel, Seat, Section } from '../../../sdk/index.ts'

/** A seat that the fan chose on the map. */
export interface ChosenSeat {
  readonly seat: Seat
  readonly section: Section
  readonly level: PriceLevel
}

/** A section as this fan sees it. */
export interface SeenSection {
  /** In index order. */
  readonly seats: readonly Seat[]
  /** By seat index. */
  readonly statuses: Uint8Array
}

/** A hold that ended unpaid, to reserve its seats again. */
export interface Lapsed {
  readonly holdId: string
  readonly items: readonly Pick<HoldItem, 'seat' | 'section'>[]
}

/** A chosen seat, as it survives a reload. */
export interface KeptSeat {
  readonly id: string
  readonly sectionId: string
}
