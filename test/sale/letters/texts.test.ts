import { describe, expect, test } from 'vitest'
import { formatMoney } from '../../../clients/sdk/money.ts'
import { LANGUAGES, type Locale, localeOf, preferredTag } from '../../../src/sale/languages.ts'
import { formatAmount } from '../../../src/sale/letters/amounts.ts'
import { letterHtml, letterText } from '../../../src/sale/letters/letter.ts'
import { offerLetter } from '../../../src/sale/letters/offerLetter.ts'
import { seatInWords } from '../../../src/sale/letters/orderLetter.ts'
import { en } from '../../../src/sale/letters/texts/en.ts'
import { isolated, oneLine, textsOf } from '../../../src/sale/letters/texts.ts'

const locale = (tag: string) => localeOf(tag) as Locale
const offer = {
  accountId: 'ana',
  email: 'ana@example.com',
  eventName: 'Mötley',
  slug: 'motley',
  timeZone: 'Europe/Berlin',
  seats: 2,
  expiresAt: new Date('2026-11-30T19:15:00Z'),
}

describe.each(LANGUAGES)('in %s', (language) => {
  test('every text has a translation for every number, and leaves out no value', () => {
    const say = textsOf(locale(language))
    for (const key of Object.keys(en) as (keyof typeof en)[]) {
      const names = [...new Set([...en[key].matchAll(/\{?\$(\w+)/g)].map(([, name]) => name as string))]
      for (const count of names.includes('count') ? [0, 1, 2, 3, 11, 100, 1_000_000] : [1]) {
        const values = Object.fromEntries(names.map((name) => [name, name === 'count' ? count : `<${name}>`]))
        const text = say(key, values)
        expect(text).not.toMatch(/\{|\}|\$/)
        for (const name of names) if (name !== 'count') expect(text).toContain(`<${name}>`)
      }
    }
  })

  test('a letter has its direction and its language, and escapes every text of an organizer', () => {
    const eventName = '<img src=x onerror=alert(1)>"\'&\r\nBcc: eve@example.com\u202e'
    const letter = offerLetter({ ...offer, eventName }, locale(language), 'https://tickets.example.com')
    expect(letter.subject).not.toMatch(/[\r\n\u202e]/)
    const html = letterHtml(letter, locale(language))
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; Bcc: eve@example.com')
    expect(letterText(letter)).toContain('<img src=x onerror=alert(1)>"\'& Bcc: eve@example.com')
    expect(letterText(letter)).toContain('https://tickets.example.com/e/motley')
  })
})

test('a name of another direction is isolated, and only then', () => {
  const say = textsOf(locale('ar'))
  expect(say('offerSubject', { event: 'Mötley (A)', count: 2 })).toContain('\u2068Mötley (A)\u2069')
  expect(say('placed', { section: 'Block A', row: '12', seat: '7' })).toMatch(/^\u2068Block A\u2069 · /)
  expect(isolated('Mötley!', locale('ar'))).toBe('\u2068Mötley!\u2069')
  expect(isolated('Mötley!', locale('en'))).toBe('Mötley!')
  expect(textsOf(locale('en'))('refundedHeading', { amount: '€5' })).toBe('We have returned €5 to you')
  expect(textsOf(locale('en'))('ticketsTitle', { event: 'مهرجان' })).toBe('Tickets for \u2068مهرجان\u2069')
})

test('a caller gets the first of our languages that their browser names', () => {
  expect(preferredTag('ja, de-AT;q=0.9, en;q=0.8')).toBe('de-AT')
  expect(preferredTag('ar-EG')).toBe('ar-EG')
  expect(preferredTag('ja')).toBeNull()
  expect(preferredTag('*')).toBeNull()
  expect(preferredTag(`${'x,'.repeat(99)};;;q=`)).toBeNull()
  expect(preferredTag(null)).toBeNull()
})

test('an amount is written as on the page, in every currency', () => {
  for (const currency of Intl.supportedValuesOf('currency'))
    expect(formatAmount({ amount: 1_234_567n, currency }, 'en')).toBe(
      formatMoney({ amount: 1_234_567, currency }, 'en'),
    )
  expect(formatAmount({ amount: 4_550n, currency: 'KWD' }, 'de')).toBe('4,550\u00a0KWD')
  expect(formatAmount({ amount: -4_550n, currency: 'JPY' }, 'en')).toBe('-¥4,550')
})

test('a long text is cut between characters', () => {
  expect(oneLine('🎉'.repeat(10), 4)).toBe('🎉🎉🎉…')
  expect(oneLine(' a \n\u2028 b ')).toBe('a b')
})

test('a seat is in the words of the language, or in the plan’s own', () => {
  const say = textsOf(locale('en'))
  const seat = { row: '5', number: '3' }
  expect(seatInWords('Tent', seat, say)).toBe('Tent · Row 5, seat 3')
  expect(seatInWords('Tent', { ...seat, rowLabel: 'Table 5', seatLabel: 'Chair 3' }, say)).toBe(
    'Tent · Table 5, Chair 3',
  )
  expect(seatInWords('Tent', { ...seat, rowLabel: 'Table 5' }, say)).toBe('Tent · Table 5, 3')
})
