import type { DeclineReason, HoldRefusal } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, type TextKey, t } from '../i18n/texts.ts'
import { when } from '../i18n/times.ts'
import { retryIn } from './trouble.ts'

const TOO_MANY_HOLDS = {
  ACCOUNT: 'buy.heldTooOften',
  DEVICE: 'buy.deviceHoldsAll',
  ADDRESS: 'buy.addressHoldsAll',
} as const satisfies Record<string, TextKey>

/** Explains why the seats are not held. `names`: the known names of the seats in the refusal. */
export function holdRefusal(refusal: HoldRefusal, names: readonly string[]): string {
  const seats = formatter().list(names)
  switch (refusal.__typename) {
    case 'SeatsTaken':
      return names.length ? t('buy.namedSeatsTaken', { count: names.length, seats }) : t('buy.seatsTaken')
    case 'SeatsInOwnHold':
      return t('buy.ownSeats', {
        seats: formatter().list(refusal.hold.items.flatMap(({ seat }) => (seat ? seatName(seat) : []))),
      })
    case 'NotEnoughAvailable':
      return t('buy.notEnough', { count: refusal.available })
    case 'OrphanSeats':
      return names.length ? t('buy.namedOrphan', { seats }) : t('buy.orphan')
    case 'WheelchairSeatRequired':
      return t('buy.wheelchairRequired')
    case 'TicketLimitReached':
      return t('page.ticketLimit', refusal)
    case 'TooManyHolds':
      return `${t(TOO_MANY_HOLDS[refusal.scope])} ${retryIn(refusal.retryAfterSeconds)}`
    case 'AdmissionRequired':
      return t('page.timeToChooseOver')
    case 'SaleNotOpen':
      return t('buy.notOpen', { when: when(refusal.opensAt) })
    case 'SalePaused':
      return `${t('buy.salePaused')} ${retryIn(refusal.retryAfterSeconds)}`
    case 'SaleOver':
      return refusal.saleState === 'ENDED' ? t('page.saleEnded') : t('page.everySeatSold')
  }
}

const DECLINED = {
  INSUFFICIENT_FUNDS: 'buy.noFunds',
  CARD_EXPIRED: 'buy.cardExpired',
  AUTHENTICATION_FAILED: 'buy.notAuthenticated',
  TRY_LATER: 'buy.bankTryLater',
  OTHER: 'buy.bankDeclined',
} as const satisfies Record<DeclineReason, TextKey>

/** Explains why the bank declined, and what to do. */
export function declined(reason: DeclineReason | null): string {
  return t('buy.declined', { why: t(DECLINED[reason ?? 'OTHER']) })
}
