import type { Seat } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { type TextKey, t } from '../i18n/texts.ts'
import { CHOSEN, type Look, lookOf, STRANDED } from './drawing/seatStates.ts'

const STATES = {
  free: 'map.available',
  held: 'map.held',
  sold: 'map.sold',
  closed: 'map.notForSale',
  unknown: 'map.unknown',
} as const satisfies Record<Look, TextKey>

/** The name of a seat for a screen reader, such as "Row 4, seat 3, €45.50, available". */
export function seatLabel(seat: Seat, price: string, state: number): string {
  const kind = seat.wheelchair ? t('map.wheelchair') : seat.companionOf ? t('map.companion') : ''
  const is = state & CHOSEN ? t('map.chosen') : t(STATES[lookOf(state)])
  const stranded = state & STRANDED ? t('map.leftAlone') : ''
  return [seatName(seat), kind, price, is, stranded].filter(Boolean).join(', ')
}

/** "Row 4". */
export function rowName(row: string): string {
  return row ? t('map.rowName', { row }) : t('map.noRow')
}

/** "4 free". */
export function freeText(count: number): string {
  return count === 0 ? t('map.noneFree') : t('map.freeNumber', { count })
}

/** "4 seats free". */
export function freeSeatsText(count: number): string {
  return count === 0 ? t('map.noneFreeNow') : t('map.freeSeats', { count })
}
