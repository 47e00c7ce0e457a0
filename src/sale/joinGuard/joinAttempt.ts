import { hash } from 'node:crypto'
import { subscriberOf } from '../../addresses.ts'
import { type Key, keyOf } from './countMinSketch.ts'

/** An account, a device or an address: joins are counted for each. */
export interface JoinSource {
  readonly key: Key
  /** The same in all processes. Account, device and address cannot be recovered from it. */
  readonly digest: Uint8Array
}

/** One call of join, as the guard counts it. */
export interface JoinAttempt {
  readonly eventId: string
  /** In this event's line. */
  readonly account: JoinSource
  /** The same for all events: the limit of a device covers all its joins. */
  readonly device: JoinSource
  /** At this event. Null where the address is unknown: then nothing is counted for it. */
  readonly address: JoinSource | null
}

export function joinAttemptOf(
  eventId: string,
  account: Buffer,
  device: Uint8Array,
  address: string | null,
): JoinAttempt {
  return {
    eventId,
    account: sourceOf(account),
    device: sourceOf(device),
    address: address === null ? null : sourceOf(addressDigest(eventId, subscriberOf(address))),
  }
}

/** Goes through hexadecimal, which is faster in Node 24 than a Buffer straight from `hash`. */
function addressDigest(eventId: string, subscriber: string): Uint8Array {
  return Buffer.from(hash('sha256', `${eventId}\n${subscriber}`, 'hex').slice(0, 16), 'hex')
}

function sourceOf(digest: Uint8Array): JoinSource {
  return { key: keyOf(digest), digest }
}
