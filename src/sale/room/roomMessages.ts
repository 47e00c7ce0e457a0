import type { PlaceChange, TickedRoom } from './room.ts'

/** The messages about a room between servers. */
export type RoomMessage =
  | { kind: 'room' }
  | ({ kind: 'tick' } & TickedRoom)
  /** A purchase has ended the admission of this place. An earlier version reads the room instead. */
  | { kind: 'end'; arrival: number }
  | { kind: 'place'; arrival: number; device: string; hasLeft: boolean; changedAt: number }

export function placeMessage(arrival: number, { device, hasLeft, changedAt }: PlaceChange): RoomMessage {
  const hex = Buffer.from(device).toString('hex')
  return { kind: 'place', arrival, device: hex, hasLeft, changedAt: changedAt.getTime() }
}

/** Undefined for a message that this version cannot read: another version may have sent it. */
export function parseMessage(message: string): RoomMessage | undefined {
  try {
    return JSON.parse(message) as RoomMessage
  } catch {
    return undefined
  }
}

export function changeOf({
  device,
  hasLeft,
  changedAt,
}: Extract<RoomMessage, { kind: 'place' }>): PlaceChange {
  return { device: Buffer.from(device, 'hex'), hasLeft, changedAt: new Date(changedAt) }
}
