import type { NewPriceLevel } from '../../sql/events.ts'
import type { InputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import type { Area } from './numberedPlan.ts'
import type { SeatingPlan } from './seatingPlan.ts'

export interface PriceInput {
  category: string
  price: number
  fee?: number | null
}

/** Returns one level for each category of the plan, then one for each area, numbered from 1. */
export function readLevels(
  prices: readonly PriceInput[],
  plan: SeatingPlan | null,
  areas: readonly Area[],
  faults: InputFaults,
): NewPriceLevel[] {
  const priced = readPrices(prices, faults)
  const wanted = [
    ...(plan?.categories.map(({ name, color }) => ({ key: name, name, color })) ?? []),
    ...areas.map(({ key, name }) => ({ key, name, color: null })),
  ]
  const known = new Set(wanted.map(({ key }) => key))
  for (const [key, { index }] of priced)
    if (!known.has(key))
      faults.add(['input', 'prices', index, 'category'], 'is no category of the plan and no area')
  return wanted.map((level, i) => {
    const found = priced.get(level.key)
    if (!found && level.key !== '') faults.add(['input', 'prices'], `has no price for "${level.key}"`)
    return { ...level, no: i + 1, price: found?.price ?? 0n, fee: found?.fee ?? 0n }
  })
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
