import type { SeatStatus } from '../../seatStatus.ts'

/** A section's seats as the database returns them. Read in place: the map of a hall of 50,000 is compared every 2 s. */
export interface PackedSeats {
  readonly length: number
  status(index: number): SeatStatus
  revision(index: number): number
}

/** Reads the seats that `readSeats` packs: 4 bytes a seat, big-endian, 4 · revision + status. */
export function unpackSeats(packed: Uint8Array): PackedSeats {
  const view = viewOf(packed)
  return {
    length: packed.byteLength / 4,
    status: (index) => (view.getUint32(4 * index) & 3) as SeatStatus,
    revision: (index) => view.getUint32(4 * index) >>> 2,
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
