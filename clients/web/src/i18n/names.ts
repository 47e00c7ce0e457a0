import type { Seat } from '../../../sdk/index.ts'
import { t } from './texts.ts'

/** "Row 4, seat 3". */
export function seatName({ row, number }: Pick<Seat, 'row' | 'number'>): string {
  return t('page.seatName', { row, number })
}
