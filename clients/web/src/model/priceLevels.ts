import type { PriceLevel, Section } from '../../../sdk/index.ts'

/**
 * The price levels of sections, each once, the dearest first. A level without a price is left out: its seats are not for sale, and
 * its price reads 0.
 */
export function priceLevelsOf(sections: readonly Pick<Section, 'priceLevels'>[]): PriceLevel[] {
  const levels = sections.flatMap(({ priceLevels }) => priceLevels).filter(({ onSale }) => onSale)
  return [...new Map(levels.map((level) => [level.id, level])).values()].sort(
    (a, b) => b.total.amount - a.total.amount,
  )
}
