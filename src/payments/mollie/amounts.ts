import type { Money } from '../../money.ts'
import { decimals } from '../decimals.ts'

/** Returns an amount as Mollie writes it: 4550 EUR is `45.50`, 4550 JPY is `4550`. */
export function toMollie({ amount, currency }: Money): { currency: string; value: string } {
  const digits = decimals(currency)
  const units = String(amount).padStart(digits + 1, '0')
  const point = units.length - digits
  return { currency, value: digits === 0 ? units : `${units.slice(0, point)}.${units.slice(point)}` }
}

/** Returns an amount of Mollie in minor units. Throws where it has other decimals than its currency. */
export function fromMollie({ currency, value }: { currency: string; value: string }): Money {
  const [, units = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (units === '' || fraction.length !== decimals(currency))
    throw new Error(`Mollie reports an amount that is not one of ${currency}: ${value}`)
  return { amount: BigInt(units + fraction), currency }
}
