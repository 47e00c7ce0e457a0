import { expect, test } from 'vitest'
import { createFormatter } from '../../../clients/web/src/i18n/formatter.ts'
import { chooseLocale } from '../../../clients/web/src/i18n/locale.ts'

test.each([
  [['fr-CA', 'en'], null, 'fr', 'fr-CA'],
  [['nl', 'pt-BR', 'es-419'], null, 'es', 'es-419'],
  [['nl'], null, 'en', 'en'],
  [[], 'de', 'de', 'de'],
  [['en-GB', 'de-AT'], 'de', 'de', 'de-AT'],
  [['not a tag', 'ar-EG'], 'xx', 'ar', 'ar-EG'],
])('a browser that asks for %j, with the choice %s, gets %s', (asked, chosen, language, tag) => {
  expect(chooseLocale(asked, chosen)).toMatchObject({ language, tag })
})

test('Arabic is written from right to left, and the others from left to right', () => {
  expect(chooseLocale(['ar'], null).direction).toBe('rtl')
  expect(chooseLocale(['de'], null).direction).toBe('ltr')
})

test('numbers, money, durations and lists follow the locale', () => {
  const german = createFormatter(chooseLocale(['de-DE'], null))
  expect(german.number(1_231)).toBe('1.231')
  expect(german.money({ amount: 4_550, currency: 'EUR' })).toBe('45,50\u00a0€')
  expect(german.duration(245)).toBe('4 Minuten, 5 Sekunden')
  expect(german.duration(0)).toBe('0 Sekunden')
  expect(german.unitName(4, 'minute')).toBe('Minuten')
  expect(german.list(['A', 'B', 'C'])).toBe('A, B und C')
  const arabic = createFormatter(chooseLocale(['ar-EG'], null))
  expect(arabic.number(1_231)).toBe('١٬٢٣١')
  expect(arabic.plural(3)).toBe('few')
})

test('a name keeps its direction inside a sentence of the other direction', () => {
  const english = createFormatter(chooseLocale(['en'], null))
  expect(english.value('Opening night')).toBe('Opening night')
  expect(english.value('ليلة')).toBe('\u2068ليلة\u2069')
  const arabic = createFormatter(chooseLocale(['ar'], null))
  expect(arabic.value('Opening night')).toBe('\u2068Opening night\u2069')
})
