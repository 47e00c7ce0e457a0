import type { SaleRow } from '../sql/sales.ts'

export type SaleStateName = 'SCHEDULED' | 'PRE_QUEUE' | 'ON_SALE' | 'PAUSED' | 'SOLD_OUT' | 'ENDED'

/** How many seats and units of an event have which status, from the seat map. */
export interface SaleCounts {
  readonly available: number
  readonly held: number
  readonly sold: number
  readonly notForSale: number
  /** In plan order. */
  readonly sections: readonly { sectionNo: number; available: number }[]
  /**
   * Counts by the price level's id, once; null while the map is away. A level without an entry cannot be counted. Reads the event's
   * plan, which the other counts do not.
   */
  readLevels(): Promise<ReadonlyMap<string, { readonly available: number; readonly held: number }> | null>
  readonly asOf: Date
}

/** A sale's settings, its state, and its counts. */
export interface SaleView extends SaleRow {
  readonly id: string
  readonly state: SaleStateName
  readonly counts: SaleCounts
}
