import { ApiError, ConnectionLost } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'

/** Explains a failed request to a fan, without technical terms. */
export function trouble(error: unknown): string {
  if (error instanceof ConnectionLost) return t('page.noAnswer')
  if (!(error instanceof ApiError)) return t('page.brokenPage')
  switch (error.code) {
    case 'UNAUTHENTICATED':
      return t('page.signInExpired')
    case 'ADMISSION_REQUIRED':
      return t('page.timeToChooseOver')
    case 'QUEUE_TOKEN_INVALID':
      return t('page.placeElsewhere')
    case 'RATE_LIMITED':
    case 'OVERLOADED':
    case 'REQUEST_IN_PROGRESS':
      return t('page.crowded', { retry: retryIn(error.retryAfterSeconds) })
    default:
      return error.requestId ? t('page.ourFaultNumber', { number: error.requestId }) : t('page.ourFault')
  }
}

/** "Try again in 5 seconds." */
export function retryIn(seconds: number | null): string {
  return seconds === null ? t('page.retryLater') : t('page.retryIn', { count: Math.max(1, seconds) })
}

/** What the fan must know about the current step while the service does not answer. */
export function meanwhile(step: 'event' | 'line' | 'seats' | 'pay' | 'tickets'): string {
  switch (step) {
    case 'line':
      return t('page.meanwhileLine')
    case 'seats':
      return t('page.meanwhileSeats')
    case 'pay':
      return t('page.meanwhilePay')
    default:
      return ''
  }
}
