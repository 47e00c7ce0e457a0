import { formatMoney, type Money } from '../../../sdk/index.ts'
import type { Locale } from './locale.ts'

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
/** Unicode's first-strong isolate and its end keep a name of one direction apart from a sentence of the other. */
const [ISOLATE, END] = ['\u2068', '\u2069']

type Unit = 'day' | 'hour' | 'minute' | 'second'

/** Numbers, money, durations and dates in the style of a locale. */
export interface Formatter {
  /** A value of a text: a number in the locale's digits, or a word that keeps its own direction. */
  value(value: string | number | undefined): string
  /** The plural category of a count: `one`, `few`, `other` and so on. */
  plural(count: string | number | undefined): Intl.LDMLPluralRule
  number(value: number): string
  /** Two digits at least. */
  twoDigits(value: number): string
  money(money: Money): string
  /** "a, b and c". */
  list(parts: readonly string[]): string
  /** "4 minutes". */
  units(value: number, unit: Unit): string
  /** The word alone: "minutes" for 4. */
  unitName(value: number, unit: Unit): string
  /** "4 minutes, 5 seconds": the parts that are not zero. */
  duration(seconds: number): string
  date(instant: string, style: Intl.DateTimeFormatOptions): string
}

/** Returns the formatter of a locale. It makes each Intl object once: one costs more than a hundred uses of it. */
export function createFormatter({ tag, direction }: Locale): Formatter {
  const made = new Map<string, unknown>()
  function once<T>(key: string, make: () => T): T {
    if (!made.has(key)) made.set(key, make())
    return made.get(key) as T
  }
  const numbers = (options: Intl.NumberFormatOptions = {}) =>
    once(JSON.stringify(options), () => new Intl.NumberFormat(tag, options))
  const unit = (of: Unit) => numbers({ style: 'unit', unit: of, unitDisplay: 'long' })

  const formatter: Formatter = {
    value(value) {
      if (typeof value === 'number') return formatter.number(value)
      const word = value ?? ''
      return direction === 'rtl' || RIGHT_TO_LEFT.test(word) ? `${ISOLATE}${word}${END}` : word
    },
    plural: (count) => once('plural', () => new Intl.PluralRules(tag)).select(Number(count)),
    number: (value) => numbers().format(value),
    twoDigits: (value) => numbers({ minimumIntegerDigits: 2 }).format(value),
    money: (money) => formatMoney(money, tag),
    list: (parts) => once('list', () => new Intl.ListFormat(tag)).format(parts.map(formatter.value)),
    units: (value, of) => unit(of).format(value),
    unitName: (value, of) =>
      unit(of)
        .formatToParts(value)
        .filter(({ type }) => type === 'unit')
        .map((part) => part.value)
        .join(''),
    duration(seconds) {
      const parts: [number, Unit][] = [
        [Math.floor(seconds / 3_600), 'hour'],
        [Math.floor(seconds / 60) % 60, 'minute'],
        [seconds % 60, 'second'],
      ]
      const shown = parts.filter(([value]) => value > 0)
      return once('durations', () => new Intl.ListFormat(tag, { type: 'unit' })).format(
        (shown.length ? shown : [[0, 'second'] as [number, Unit]]).map(([value, of]) =>
          unit(of).format(value),
        ),
      )
    },
    date: (instant, style) =>
      once(`date ${JSON.stringify(style)}`, () => new Intl.DateTimeFormat(tag, style)).format(
        new Date(instant),
      ),
  }
  return formatter
}
