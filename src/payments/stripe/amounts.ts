import type { Money } from '../../money.ts'
import { CannotCharge } from '../provider.ts'

/*
 * Stripe's minor units differ from ISO 4217 in a few currencies (docs.stripe.com/currencies, "Minor units in API amounts"
 * and "Special cases").
 */

/** Stripe counts them in hundredths, which are always 00; ISO 4217 has no minor unit. */
const HUNDREDTHS = new Set(['ISK', 'UGX'])
/** Stripe counts whole units; ISO 4217 has hundredths. */
const WHOLE_UNITS = new Set(['MGA'])
/** Of three decimals the last one must be 0. */
const TENS = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Returns an amount as Stripe counts it. Throws CannotCharge where Stripe cannot charge the amount exactly. */
export function toStripe({ amount, currency }: Money): { amount: number; currency: string } {
  const divisor = WHOLE_UNITS.has(currency) ? 100n : TENS.has(currency) ? 10n : 1n
  if (amount % divisor !== 0n)
    throw new CannotCharge(
      `Stripe counts ${currency} in steps of ${divisor} minor units, so it cannot charge or return ${amount}.`,
    )
  const units = HUNDREDTHS.has(currency) ? amount * 100n : WHOLE_UNITS.has(currency) ? amount / 100n : amount
  if (units > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CannotCharge(`${amount} ${currency} is more than Stripe charges.`)
  return { amount: Number(units), currency: currency.toLowerCase() }
}

/** Returns an amount of Stripe in the minor units of ISO 4217. `code` may be in small letters, as Stripe sends it. */
export function fromStripe(units: number, code: string): Money {
  const currency = code.toUpperCase()
  const amount = BigInt(units)
  if (HUNDREDTHS.has(currency)) return { amount: amount / 100n, currency }
  return { amount: WHOLE_UNITS.has(currency) ? amount * 100n : amount, currency }
}
