import type { HoldItem } from '../../../sdk/index.ts'

/** A hold that ended unpaid, to reserve its seats again. */
export interface Lapsed {
  readonly holdId: string
  readonly items: readonly Pick<HoldItem, 'seat' | 'section'>[]
}
