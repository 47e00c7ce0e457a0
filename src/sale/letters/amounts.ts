import type { Money } from '../../money.ts'

/** As clients/sdk/money.ts, which no part of the server imports; a test compares the two. */
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

/** Returns an amount as people of the locale write it. The decimal point is set in the text, so no digit is rounded. */
export function formatAmount({ amount, currency }: Money, locale: string): string {
  const digits = decimalsOf.get(currency) ?? 2
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  const isNegative = amount < 0n
  const units = String(isNegative ? -amount : amount).padStart(digits + 1, '0')
  const point = units.length - digits
  const decimal = digits ? `${units.slice(0, point)}.${units.slice(point)}` : units
  return format.format(`${isNegative ? '-' : ''}${decimal}` as Intl.StringNumericLiteral)
}

/** Returns a moment by the clock of a time zone, such as the event's, with the day of the week. */
export function formatTime(moment: Date, timeZone: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(moment)
}
