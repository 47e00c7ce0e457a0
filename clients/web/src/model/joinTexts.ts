import type { JoinResult, JoinWaitlistResult, QueuePosition, WaitlistEntry } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import { when } from '../i18n/times.ts'

/** Explains why the fan could not join the line, and what to do. */
export function joinRefusal(refusal: Exclude<JoinResult, QueuePosition>): string {
  switch (refusal.__typename) {
    case 'QueueNotOpen':
      return t('page.lineNotOpen', { when: when(refusal.opensAt) })
    case 'PlaceOnOtherDevice':
      return t('page.oneDeviceHas')
    case 'AccountNotVerified':
      return t('page.notVerified')
    case 'ChallengeRequired':
      return t('page.challengeFailed')
    case 'SaleOver':
      return refusal.saleState === 'ENDED' ? t('page.saleEnded') : t('page.everySeatSold')
  }
}

/** Explains why the fan is not on the waitlist. */
export function waitlistRefusal(refusal: Exclude<JoinWaitlistResult, WaitlistEntry>): string {
  switch (refusal.__typename) {
    case 'NotSoldOut':
      return t('page.notSoldOut')
    case 'AdmissionRequired':
      return t('page.joinFirst')
    case 'TicketLimitReached':
      return t('page.ticketLimit', refusal)
    case 'SaleOver':
      return t('page.saleEnded')
  }
}
