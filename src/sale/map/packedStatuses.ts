import { AVAILABLE, type SeatStatus } from '../../seatStatus.ts'

/**
 * Returns a section's statuses as the API sends them: two bits a seat. Seat i is in bits 2i and 2i + 1, counted
 * from the first byte's highest bit.
 */
export function packStatuses(statuses: readonly SeatStatus[]): Uint8Array {
  const packed = new Uint8Array(Math.ceil(statuses.length / 4))
  statuses.forEach((status, index) => {
    if (status !== AVAILABLE) setStatus(packed, index, status)
  })
  return packed
}

export function statusAt(packed: Uint8Array, index: number): SeatStatus {
  return (((packed[index >> 2] ?? 0) >> shift(index)) & 3) as SeatStatus
}

export function setStatus(packed: Uint8Array, index: number, status: SeatStatus): void {
  const byte = packed[index >> 2] ?? 0
  packed[index >> 2] = (byte & ~(3 << shift(index))) | (status << shift(index))
}

/** Returns the changes that lead from `before` to `after`, in index order. Both belong to the same section. */
export function changesBetween(
  before: Uint8Array,
  after: Uint8Array,
): { index: number; status: SeatStatus }[] {
  const changes: { index: number; status: SeatStatus }[] = []
  for (let i = 0; i < after.length; i++) {
    if (before[i] === after[i]) continue
    for (let index = 4 * i; index < 4 * i + 4; index++) {
      const status = statusAt(after, index)
      if (status !== statusAt(before, index)) changes.push({ index, status })
    }
  }
  return changes
}

function shift(index: number): number {
  return 6 - 2 * (index & 3)
}
