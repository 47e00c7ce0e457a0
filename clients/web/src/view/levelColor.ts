import type { PriceLevel } from '../../../sdk/index.ts'

/** The organizer's colour of a price level; the style sheet bends it until it can be seen on the page's ground. */
export function levelColor({ color }: Pick<PriceLevel, 'color'>): { '--level': string } {
  return { '--level': color ?? '#5b7083' }
}
