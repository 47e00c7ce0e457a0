import type { NewPriceLevel } from '../../sql/events/eventRows.ts'
import type { InputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import type { Area } from '../plan/numberedPlan.ts'
import type { SeatingPlan } from '../plan/seatingPlan.ts'

export interface PriceInput {
  category: string
  price: number
  fee?: number | null
}

/**
 * Returns the levels of the plan's categories, then those of the areas; their numbers leave room for the categories
 * that make none. A category without a seat and without a price makes no level: editors begin with five of them.
 * `offSale`: the keys of the categories that need no price, since their seats are not for sale.
 */
export function readLevels(
  prices: readonly PriceInput[],
  plan: SeatingPlan | null,
  areas: readonly Area[],
  offSale: ReadonlySet<string>,
  faults: InputFaults,
): NewPriceLevel[] {
  const priced = readPrices(prices, faults)
  const used = new Set(plan?.sections.flatMap(({ seats }) => seats.map(({ category }) => category)))
  const wanted = [
    ...(plan?.categories.map((category, i) => ({ ...category, isUsed: used.has(i) })) ?? []),
    ...areas.map(({ key, name }) => ({ key, name, color: null, isUsed: true })),
  ]
  const known = new Set(wanted.map(({ key }) => key))
  for (const [key, { index }] of priced)
    if (!known.has(key))
      faults.add(['input', 'prices', index, 'category'], 'is no category of the plan and no area')
  return wanted.flatMap(({ isUsed, ...level }, i) => {
    const found = priced.get(level.key)
    if (!found && !isUsed) return []
    if (!found && !offSale.has(level.key) && level.key !== '')
      faults.add(['input', 'prices'], `has no price for "${level.key}": add one, or name it in notForSale`)
    return {
      ...level,
      no: i + 1,
      price: found?.price ?? 0n,
      fee: found?.fee ?? 0n,
      priced: found !== undefined,
    }
  })
}

/** Returns the categories of the plan whose seats are not for sale. */
export function readOffSale(
  keys: readonly string[],
  plan: SeatingPlan | null,
  faults: InputFaults,
): Set<string> {
  const offSale = new Set<string>()
  for (const [i, key] of keys.entries())
    if (plan?.categories.some((category) => category.key === key)) offSale.add(key)
    else if (plan) faults.add(['input', 'notForSale', i], `"${key}" is no category of the plan`)
  return offSale
}

/** Returns the prices by category. A category that is named twice is a fault. */
export function readPrices(prices: readonly PriceInput[], faults: InputFaults) {
  const byCategory = new Map<string, { index: number; price: bigint; fee: bigint }>()
  for (const [index, { category, price, fee }] of prices.entries()) {
    const path = ['input', 'prices', index]
    if (byCategory.has(category)) faults.add([...path, 'category'], 'is named twice')
    byCategory.set(category, {
      index,
      price: BigInt(faults.number([...path, 'price'], price, RANGES.price)),
      fee: BigInt(faults.number([...path, 'fee'], fee ?? 0, RANGES.price)),
    })
  }
  return byCategory
}
