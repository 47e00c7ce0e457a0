import type { PriceLevel } from '../../../sdk/index.ts'

/** The organizer's colour of a price level. The style sheet adapts it until it is visible on the background. */
export function levelColor({ color }: Pick<PriceLevel, 'color'>): { '--level': string } {
  return { '--level': color ?? '#5b7083' }
}
