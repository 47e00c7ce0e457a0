import { randomBytes } from 'node:crypto'
import { uuidv7obj } from 'uuidv7'

/**
 * Public ids are the database's ids. An id names its event, so every look-up starts with the event's key:
 *
 *     evt_k3v9x2m4q8wz        an event
 *     hld_k3v9x2m4q8wz_…      a hold; likewise ord (order), tkt (ticket), wle (waitlist entry)
 *     seat_k3v9x2m4q8wz_17    a numbered part of the plan; likewise sec (section), lvl (price level)
 */
export type EntityKind = 'hld' | 'ord' | 'tkt' | 'wle'
export type PlanKind = 'seat' | 'sec' | 'lvl'

const EVENT = /^evt_([a-z0-9]{1,32})$/
const ENTITY = /^(hld|ord|tkt|wle)_([a-z0-9]{1,32})_[a-z0-9]{1,64}$/
const PLAN = /^(seat|sec|lvl)_([a-z0-9]{1,32})_(0|[1-9][0-9]{0,8})$/

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new event's id: 60 random bits. */
export function newEventId(): string {
  return `evt_${Array.from(randomBytes(12), (byte) => ALPHABET[byte & 31]).join('')}`
}

/** A new id within an event. Ids made later sort later, so that indexes grow at one end. */
export function newId(kind: EntityKind, eventId: string): string {
  return `${kind}_${eventId.slice(4)}_${uuidv7obj().toHex()}`
}

/** The id of a numbered part of an event's plan. */
export function planId(kind: PlanKind, eventId: string, no: number): string {
  return `${kind}_${eventId.slice(4)}_${no}`
}

/** True for the form of an event's id; says nothing about whether it exists. */
export function isEventId(id: string): boolean {
  return EVENT.test(id)
}

/** True for what may be an event's slug: 1 to 64 of a-z, 0-9 and hyphens, with no hyphen at either end. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(text)
}

/** The event that an id belongs to, or undefined where it is no id of that kind. */
export function eventOf(kind: EntityKind, id: string): string | undefined {
  const match = ENTITY.exec(id)
  return match?.[1] === kind ? `evt_${match[2]}` : undefined
}

/** Event and number of an id of the plan, or undefined where it is no id of that kind. */
export function parsePlanId(kind: PlanKind, id: string): { eventId: string; no: number } | undefined {
  const match = PLAN.exec(id)
  return match?.[1] === kind ? { eventId: `evt_${match[2]}`, no: Number(match[3]) } : undefined
}
