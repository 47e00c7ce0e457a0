import { expect, test } from 'vitest'
import { formatMoney, sum } from '../../../clients/sdk/money.ts'

// Intl puts no-break spaces between code and figure.
const shown = (amount: number, currency: string) =>
  formatMoney({ amount, currency }, 'en').replaceAll('\u00a0', ' ')

test.each([
  [4_550, 'EUR', '€45.50'],
  [5, 'EUR', '€0.05'],
  [0, 'EUR', '€0.00'],
  [-1_250, 'EUR', '-€12.50'],
  [4_550, 'JPY', '¥4,550'],
  [4_550, 'KWD', 'KWD 4.550'],
  [7, 'KWD', 'KWD 0.007'],
  [4_550, 'IQD', 'IQD 4.550'],
  [4_550, 'CLF', 'CLF 0.4550'],
  [4_550, 'UYW', 'UYW 0.4550'],
  [4_550, 'UYI', 'UYI 4,550'],
  [4_550, 'CHE', 'CHE 45.50'],
  // People write these without decimals, but amounts are counted in hundredths.
  [455_000, 'HUF', 'HUF 4,550.00'],
  [455_050, 'IDR', 'IDR 4,550.50'],
])('%d minor units of %s are shown as %s', (amount, currency, text) => {
  expect(shown(amount, currency)).toBe(text)
})

test('a large amount is not rounded', () => {
  expect(shown(Number.MAX_SAFE_INTEGER, 'EUR')).toBe('€90,071,992,547,409.91')
})

test('amounts of one currency are added up', () => {
  expect(
    sum([
      { amount: 4_550, currency: 'EUR' },
      { amount: 450, currency: 'EUR' },
    ]),
  ).toEqual({
    amount: 5_000,
    currency: 'EUR',
  })
  expect(sum([])).toBeNull()
})
