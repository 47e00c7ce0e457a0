/** The codes of a seat's status in the packed map. */
export const AVAILABLE = 0
export const HELD = 1
export const SOLD = 2
export const NOT_FOR_SALE = 3

export type SeatStatus = typeof AVAILABLE | typeof HELD | typeof SOLD | typeof NOT_FOR_SALE

export const STATUS_OF_NAME = { AVAILABLE, HELD, SOLD, NOT_FOR_SALE } as const

/**
 * Decodes the statuses of `count` seats from base64. Each seat has two bits: seat i has bits 2i and 2i+1, counted from
 * the first byte's highest bit. Throws RangeError if the map is too short.
 */
export function unpackStatuses(base64: string, count: number): Uint8Array {
  const packed = atob(base64)
  if (packed.length * 4 < count) throw new RangeError(`${packed.length * 4} statuses for ${count} seats`)
  const statuses = new Uint8Array(count)
  for (let i = 0; i < count; i++) statuses[i] = (packed.charCodeAt(i >> 2) >> (6 - 2 * (i & 3))) & 3
  return statuses
}
