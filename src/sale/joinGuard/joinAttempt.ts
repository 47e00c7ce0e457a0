import { hash } from 'node:crypto'
import { subscriberOf } from '../../addresses.ts'
import { type Key, keyOf } from './countMinSketch.ts'

/** Somebody or something that joins are counted of. */
export interface Counted {
  readonly key: Key
  /** The same in all processes; nobody's account, device or address can be read from it. */
  readonly digest: Uint8Array
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

export function joinAttemptOf(
  eventId: string,
  account: Buffer,
  device: Uint8Array,
  address: string | null,
): Arrival {
  return {
    eventId,
    account: counted(account),
    device: counted(device),
    address: address === null ? null : counted(addressDigest(eventId, subscriberOf(address))),
  }
}

/** By way of hexadecimal, which costs a third of what a Buffer straight from `hash` does (Node 24). */
function addressDigest(eventId: string, subscriber: string): Uint8Array {
  return Buffer.from(hash('sha256', `${eventId}\n${subscriber}`, 'hex').slice(0, 16), 'hex')
}

function counted(digest: Uint8Array): Counted {
  return { key: keyOf(digest), digest }
}
