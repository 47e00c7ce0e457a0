import { hash } from 'node:crypto'
import { subscriberOf } from '../../../addresses.ts'
import { type Key, keyOf } from './tally.ts'

/** Somebody or something that joins are counted of. */
export interface Counted {
  readonly key: Key
  /** For all processes: nobody's account, device or address can be read from it. */
  readonly digest: Buffer
}

/** One call of join, as the door sees it. */
export interface Arrival {
  readonly eventId: string
  /** Of the event's line. */
  readonly account: Counted
  /** Whatever it joins: a device is no busier with two events. */
  readonly device: Counted
  /** At the event. Null: the address is not known, and nothing is held against anybody for that. */
  readonly address: Counted | null
}

export function arrivalOf(
  eventId: string,
  account: Buffer,
  device: Uint8Array,
  address: string | null,
): Arrival {
  const subscriber = address === null ? null : subscriberOf(address)
  return {
    eventId,
    account: counted(account),
    device: counted(Buffer.from(device)),
    address:
      subscriber === null
        ? null
        : counted(hash('sha256', `${eventId}\n${subscriber}`, 'buffer').subarray(0, 8)),
  }
}

function counted(digest: Buffer): Counted {
  return { key: keyOf(digest), digest }
}
