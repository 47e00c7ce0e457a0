import type { Money, PriceLevel, Sale, Section } from '../../../sdk/index.ts'
import { priceLevelsOf } from './priceLevels.ts'

/** Where the tickets may be, and what each one may cost. */
export interface Offer {
  readonly key: string
  /** An area without seats; null: the best seats of the hall. */
  readonly area: Section | null
  /** The dearest ticket of the offer. */
  readonly most: Money
  readonly cheapest: Money
  /** Free seats or units; null: unknown, since sections with these prices have other prices too. */
  readonly free: number | null
  /** The only price level of the offer; null: several. */
  readonly level: PriceLevel | null
  /** Of all price levels of the offer, the dearest first. */
  readonly levelNames: readonly string[]
  /** True for the best seats at any price. */
  readonly isAnyPrice: boolean
}

/** What the fan wishes, as it survives a reload. */
export interface KeptWish {
  readonly quantity: number
  readonly together: boolean
  /** Of an offer. */
  readonly offer: string
}

/** The price levels of seats, the dearest first. */
export function seatedLevels(sections: readonly Section[]): PriceLevel[] {
  return priceLevelsOf(sections.filter(({ kind }) => kind === 'SEATED'))
}

/** Returns what the fan can choose from: the seats up to each price, the dearest first, and each area without seats. */
export function offersOf(sections: readonly Section[], sale: Sale): Offer[] {
  const freeIn = new Map(sale.sections.map(({ sectionId, available }) => [sectionId, available]))
  const seated = sections.filter(({ kind }) => kind === 'SEATED')
  const levels = seatedLevels(sections)
  const cheapest = levels.at(-1)?.total
  const prices = [...new Map(levels.map(({ total }) => [total.amount, total])).values()]
  const bySeat = cheapest
    ? prices.map((most, i): Offer => {
        const within = levels.filter(({ total }) => total.amount <= most.amount)
        return {
          key: i === 0 ? '' : `most-${most.amount}`,
          area: null,
          most,
          cheapest,
          free: freeAmong(seated, within, freeIn),
          level: within.length === 1 ? (within[0] ?? null) : null,
          levelNames: within.map(({ name }) => name),
          isAnyPrice: i === 0,
        }
      })
    : []
  const byArea = sections
    .filter(({ kind }) => kind === 'GENERAL_ADMISSION')
    .flatMap((area): Offer[] => {
      const [level] = priceLevelsOf([area])
      if (!level) return []
      const { total } = level
      const free = freeIn.get(area.id) ?? null
      return [
        {
          key: area.id,
          area,
          most: total,
          cheapest: total,
          free,
          level,
          levelNames: [level.name],
          isAnyPrice: false,
        },
      ]
    })
  return [...bySeat, ...byArea]
}

/** The free seats of these price levels; null where a section with one of them also has another one, and free seats. */
function freeAmong(
  seated: readonly Section[],
  levels: readonly PriceLevel[],
  freeIn: ReadonlyMap<string, number>,
): number | null {
  const ids = new Set(levels.map(({ id }) => id))
  let free = 0
  for (const section of seated) {
    const own = priceLevelsOf([section])
    const among = own.filter(({ id }) => ids.has(id)).length
    const here = freeIn.get(section.id) ?? 0
    if (among === 0 || here === 0) continue
    if (among < own.length) return null
    free += here
  }
  return free
}
