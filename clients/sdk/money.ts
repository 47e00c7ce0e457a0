import type { Money } from './types.ts'

/**
 * The currencies whose minor unit has not two decimals, by ISO 4217 (list one). Intl's own decimals are those that
 * people write, not those that amounts are counted in. It has none for HUF or IDR, and would show a hundredfold.
 */
const DECIMALS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const decimalsOf = new Map(
  Object.entries(DECIMALS).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
)

/**
 * Formats an amount in minor units for a locale (default: the reader's): 4550 EUR is €45.50, 4550 JPY is ¥4,550 and
 * 4550 KWD is KWD 4.550. It sets the decimal point in the text, so no digit is rounded.
 */
export function formatMoney({ amount, currency }: Money, locale?: string): string {
  const digits = decimalsOf.get(currency) ?? 2
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  const units = String(Math.abs(amount)).padStart(digits + 1, '0')
  const point = units.length - digits
  const decimal = digits ? `${units.slice(0, point)}.${units.slice(point)}` : units
  return format.format(`${amount < 0 ? '-' : ''}${decimal}` as Intl.StringNumericLiteral)
}

/** The sum of amounts in one currency; null for an empty list. */
export function sum(amounts: readonly Money[]): Money | null {
  const [first] = amounts
  if (!first) return null
  return { amount: amounts.reduce((total, money) => total + money.amount, 0), currency: first.currency }
}
