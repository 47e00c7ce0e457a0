import {
  ApiError,
  ConnectionLost,
  type DeclineReason,
  type HoldRefusal,
  type JoinResult,
  type JoinWaitlistResult,
  type QueuePosition,
  type Seat,
  type WaitlistEntry,
} from '../../sdk/index.ts'

/** "4:05", "1:04:05" from an hour on, or "2 days" from two days on. */
export function clockTime(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days`
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] ? parts : parts.slice(1)
  return shown.map((part, i) => (i ? String(part).padStart(2, '0') : part)).join(':')
}

/** "4 minutes 5 seconds", because a screen reader reads 4:05 as a time of day. */
export function spokenTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return [count(minutes, 'minute'), count(seconds % 60, 'second')]
    .filter((part) => !part.startsWith('0 '))
    .join(' ')
}

/** "10 minutes", or "1 minute 30 seconds". */
export function duration(seconds: number): string {
  return spokenTime(seconds) || '0 seconds'
}

/** An estimate without false precision: "About 4 minutes". */
export function roughTime(seconds: number): string {
  if (seconds < 60) return 'Less than a minute'
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `About ${count(minutes, 'minute')}`
  const hours = Math.round(minutes / 30) / 2
  return hours === 1 ? 'About an hour' : `About ${hours} hours`
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`
}

export function seatName(seat: Pick<Seat, 'row' | 'number'>): string {
  return `Row ${seat.row}, seat ${seat.number}`
}

/** "a", "a and b", "a, b and c". */
export function list(parts: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(parts)
}

/** To a fan whose turn in the line ended. `spoken` is for screen readers. */
export const TURN_LAPSED = {
  spoken: 'Your turn has ended.',
  what: 'Your turn ended before you held any seats.',
  next: 'You can join the line again.',
}

/** While the browser works on a challenge. */
export const CHECKING = 'Checking that you are not a script.'
export const CHECKING_TAKES = 'Your browser calculates for a few seconds. You do not need to do anything.'

/** Explains why the fan could not join, and what to do. */
export function joinRefusal(refusal: Exclude<JoinResult, QueuePosition>): string {
  switch (refusal.__typename) {
    case 'QueueNotOpen':
      return `The line is not open yet. It opens ${when(refusal.opensAt)}.`
    case 'PlaceOnOtherDevice':
      return 'Your place in the line is on another device. Keep it there, or move it here. The other device then loses it.'
    case 'AccountNotVerified':
      return 'Your account’s e-mail address is not verified yet. Open the link in the verification e-mail, then come back.'
    case 'ChallengeRequired':
      return 'This sale checks that you are not a script, and this browser could not do the check. Update it, or try another browser.'
    case 'SaleOver':
      return refusal.saleState === 'ENDED' ? 'The sale has ended.' : 'Every seat is sold.'
  }
}

const TOO_MANY_HOLDS = {
  ACCOUNT: 'You have held seats too often in a short time.',
  DEVICE: 'The accounts on this device hold as many seats as one device may.',
  ADDRESS:
    'Fans on your internet connection hold as many seats as one connection may. You can also try another network.',
}

/** Explains why the seats are not held. `names`: the known names of the seats in the refusal. */
export function holdRefusal(refusal: HoldRefusal, names: readonly string[]): string {
  switch (refusal.__typename) {
    case 'SeatsTaken':
      return names.length
        ? `Another fan was faster: ${list(names)} ${names.length === 1 ? 'is' : 'are'} taken. You hold no seats; choose again.`
        : 'Another fan was faster. You hold no seats; choose again.'
    case 'NotEnoughAvailable':
      return `Only ${count(refusal.available, 'seat')} of this kind can be held now. You hold no seats.`
    case 'OrphanSeats':
      return `Your choice would leave a single seat beside it${names.length ? ` (${list(names)})` : ''}. Move your choice by one seat.`
    case 'WheelchairSeatRequired':
      return 'A companion seat is sold only together with its wheelchair space. Choose that space too.'
    case 'TicketLimitReached':
      return `One account can have ${count(refusal.limit, 'ticket')} for this event, and yours already has ${refusal.used}.`
    case 'TooManyHolds':
      return `${TOO_MANY_HOLDS[refusal.scope]} ${retry(refusal.retryAfterSeconds)}`
    case 'AdmissionRequired':
      return 'Your time to choose is over. Join the line again.'
    case 'SaleNotOpen':
      return `The sale is not open yet. It opens ${when(refusal.opensAt)}.`
    case 'SalePaused':
      return `The sale is paused for a moment. ${retry(refusal.retryAfterSeconds)}`
    case 'SaleOver':
      return refusal.saleState === 'ENDED' ? 'The sale has ended.' : 'Every seat is sold.'
  }
}

/** Why the fan is not on the waitlist. */
export function waitlistRefusal(refusal: Exclude<JoinWaitlistResult, WaitlistEntry>): string {
  switch (refusal.__typename) {
    case 'NotSoldOut':
      return 'These seats are on sale: choose them on the map.'
    case 'AdmissionRequired':
      return 'The sale is on: join the waiting room first.'
    case 'TicketLimitReached':
      return `One account can have ${count(refusal.limit, 'ticket')} for this event, and yours already has ${refusal.used}.`
    case 'SaleOver':
      return 'The sale has ended.'
  }
}

export function declined(reason: DeclineReason | null): string {
  const why: Record<DeclineReason, string> = {
    INSUFFICIENT_FUNDS: 'There is not enough money on the card.',
    CARD_EXPIRED: 'The card has expired.',
    AUTHENTICATION_FAILED: 'The bank could not confirm that it is you.',
    TRY_LATER: 'The bank did not answer; the same card may work in a moment.',
    OTHER: 'The bank declined the payment.',
  }
  return `${why[reason ?? 'OTHER']} No money was taken, and your seats are still yours: try another card.`
}

/** What the fan must know about the current step while the service does not answer. */
export function meanwhile(step: 'event' | 'line' | 'seats' | 'pay' | 'tickets'): string {
  switch (step) {
    case 'line':
      return 'Your place in the line is kept.'
    case 'seats':
      return 'Chosen seats are not held yet: another fan can take them.'
    case 'pay':
      return 'Your seats are held until your time to pay is over.'
    default:
      return ''
  }
}

/** Explains a failed request to a fan, without technical terms. */
export function trouble(error: unknown): string {
  if (error instanceof ConnectionLost) return 'No answer came. Check your connection, then try again.'
  if (!(error instanceof ApiError)) return 'Something went wrong on this page. Reload it.'
  switch (error.code) {
    case 'UNAUTHENTICATED':
      return 'Your sign-in has expired. Sign in again to see your place, seats and tickets.'
    case 'ADMISSION_REQUIRED':
      return 'Your time to choose is over. Join the line again.'
    case 'QUEUE_TOKEN_INVALID':
      return 'Your place in the line is no longer on this device: it may have been moved to another one. Move it back here, or join the line.'
    case 'RATE_LIMITED':
    case 'OVERLOADED':
    case 'REQUEST_IN_PROGRESS':
      return `Very many people are here at the moment. ${retry(error.retryAfterSeconds)}`
    default:
      return error.requestId
        ? `Something went wrong on our side. Try again. If it happens again, contact us with this number: ${error.requestId}`
        : 'Something went wrong on our side. Try again.'
  }
}

function retry(seconds: number | null): string {
  return seconds === null ? 'Try again later.' : `Try again in ${count(Math.max(1, seconds), 'second')}.`
}

/** "at 20:00 CET", "on Monday 7 December at 20:00 CET". */
export function when(instant: string): string {
  return `${isNear(instant, 20) ? 'at' : 'on'} ${timeOfDay(instant)}`
}

function isNear(instant: string, hours: number): boolean {
  return Math.abs(Date.parse(instant) - Date.now()) < hours * 3_600_000
}

/** A time in the reader's own time zone, with the day or the year where they are not obvious. */
export function timeOfDay(instant: string): string {
  return new Date(instant).toLocaleString(undefined, {
    ...(isNear(instant, 20) ? {} : { weekday: 'long', day: 'numeric', month: 'long' }),
    ...(isNear(instant, 180 * 24) ? {} : { year: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  })
}

/** The start of an event in the venue's time zone. */
export function eventDate(startsAt: string, timeZone: string): { date: string; time: string } {
  const at = new Date(startsAt)
  return {
    date: at.toLocaleDateString(undefined, {
      timeZone,
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }),
    time: at.toLocaleTimeString(undefined, {
      timeZone,
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
  }
}
