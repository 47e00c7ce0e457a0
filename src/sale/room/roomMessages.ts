import type { PlaceChange, TickedRoom } from './room.ts'

/** What servers tell each other of a room. */
export type RoomMessage =
  | { kind: 'room' }
  | ({ kind: 'tick' } & TickedRoom)
  | { kind: 'place'; arrival: number; device: string; hasLeft: boolean; changedAt: number }

export function placeMessage(arrival: number, { device, hasLeft, changedAt }: PlaceChange): RoomMessage {
  const hex = Buffer.from(device).toString('hex')
  return { kind: 'place', arrival, device: hex, hasLeft, changedAt: changedAt.getTime() }
}

/** Undefined: something may have been missed, or another version of us is speaking. */
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
