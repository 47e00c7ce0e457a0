import { randomBytes } from 'node:crypto'
import { uuidv7obj } from 'uuidv7'

/**
 * Public ids are the database's ids. An id contains its event, so every look-up starts with the event's key:
 *
 *     evt_k3v9x2m4q8wz        an event
 *     sal_k3v9x2m4q8wz        its sale: each node has an id of its own, since caches of clients merge nodes by id
 *     hld_k3v9x2m4q8wz_…      a hold; likewise ord (order), tkt (ticket), wle (waitlist entry), rfd (refund)
 *     seat_k3v9x2m4q8wz_17    a numbered part of the plan; likewise sec (section), lvl (price level)
 */
export type EntityKind = 'hld' | 'ord' | 'tkt' | 'wle' | 'rfd'
export type PlanKind = 'seat' | 'sec' | 'lvl'

const EVENT = /^evt_([a-z0-9]{1,32})$/
const SALE = /^sal_([a-z0-9]{1,32})$/
const ENTITY = /^(hld|ord|tkt|wle|rfd)_([a-z0-9]{1,32})_[a-z0-9]{1,64}$/
const PLAN = /^(seat|sec|lvl)_([a-z0-9]{1,32})_(0|[1-9][0-9]{0,8})$/

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Returns a new event id of 60 random bits. */
export function newEventId(): string {
  return `evt_${Array.from(randomBytes(12), (byte) => ALPHABET[byte & 31]).join('')}`
}

/** Returns a new id within an event. Later ids sort later, so that indexes grow at one end. */
export function newId(kind: EntityKind, eventId: string): string {
  return `${kind}_${eventId.slice(4)}_${uuidv7obj().toHex()}`
}

/** Returns the id of a numbered part of an event's plan. */
export function planId(kind: PlanKind, eventId: string, no: number): string {
  return `${kind}_${eventId.slice(4)}_${no}`
}

/** Returns the id of an event's sale. */
export function saleIdOf(eventId: string): string {
  return `sal_${eventId.slice(4)}`
}

/** Returns the event of a sale's id, or undefined where the text is no id of a sale. */
export function eventOfSale(id: string): string | undefined {
  const match = SALE.exec(id)
  return match ? `evt_${match[1]}` : undefined
}

/** Returns true for a text that has the form of an event id. The event need not exist. */
export function isEventId(id: string): boolean {
  return EVENT.test(id)
}

/** Returns true for a valid slug: 1 to 64 of a-z, 0-9 and hyphens, with no hyphen at either end. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(text)
}

/** Returns the event that an id belongs to, or undefined where the text is no id of that kind. */
export function eventOf(kind: EntityKind, id: string): string | undefined {
  const match = ENTITY.exec(id)
  return match?.[1] === kind ? `evt_${match[2]}` : undefined
}

/** The form of every id: the kind, and the event. */
const ANY = /^(?:evt_([a-z0-9]{1,32})$|(?:hld|ord|tkt|wle|rfd|seat|sec|lvl)_([a-z0-9]{1,32})_)/

/** Returns the event that an id of any kind names, or undefined for other texts. The event need not exist. */
export function eventNamedBy(id: string): string | undefined {
  const match = ANY.exec(id)
  return match ? `evt_${match[1] ?? match[2]}` : undefined
}

/** Returns the event and number of a plan's id, or undefined where the text is no id of that kind. */
export function parsePlanId(kind: PlanKind, id: string): { eventId: string; no: number } | undefined {
  const match = PLAN.exec(id)
  return match?.[1] === kind ? { eventId: `evt_${match[2]}`, no: Number(match[3]) } : undefined
}
