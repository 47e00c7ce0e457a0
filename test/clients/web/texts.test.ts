import { readdirSync } from 'node:fs'
import { MessageFormat, parseMessage } from 'messageformat'
import { expect, test } from 'vitest'
import { compileText } from '../../../clients/web/build/compileText.ts'
import { createFormatter } from '../../../clients/web/src/i18n/formatter.ts'
import { LANGUAGES, type Language, type Locale } from '../../../clients/web/src/i18n/locale.ts'

const TEXTS = new URL('../../../clients/web/src/texts/', import.meta.url)
const GROUPS = readdirSync(TEXTS)
const CODES = Object.keys(LANGUAGES) as Language[]

type Texts = Record<string, string>
const all = new Map<string, Texts>()
for (const group of GROUPS)
  for (const language of CODES) {
    const { texts } = await import(new URL(`${group}/${language}.ts`, TEXTS).href)
    all.set(`${group}/${language}`, texts)
  }

const localeOf = (language: Language): Locale => ({
  language,
  tag: language,
  direction: language === 'ar' ? 'rtl' : 'ltr',
})

/** The values of a text: a number for a placeholder or selector that is one, else a word. */
function valuesOf(source: string, count: number): Record<string, string | number> {
  const names = [...source.matchAll(/\$(\w+)( :integer)?/g)]
  const numbers = new Set(names.filter(([, , integer]) => integer).map(([, name]) => name))
  return Object.fromEntries(names.map(([, name = '']) => [name, numbers.has(name) ? count : `<${name}>`]))
}

const inLanguages = (languages: readonly Language[]) =>
  GROUPS.flatMap((group) => languages.map((language) => [group, language] as const))

test.each(inLanguages(CODES))(
  'every text of %s in %s reads as MessageFormat 2 defines it',
  (group, language) => {
    const formatter = createFormatter(localeOf(language))
    for (const [name, source] of Object.entries(all.get(`${group}/${language}`) as Texts)) {
      const compiled = new Function(`return ${compileText(source)}`)()
      for (const count of [0, 1, 2, 3, 11, 100, 1_000_000]) {
        const values = valuesOf(source, count)
        const ours = typeof compiled === 'string' ? compiled : compiled(values, formatter)
        const standard = new MessageFormat(language, source).format(values, (error) => {
          throw error
        })
        const plain = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, '')
        expect(plain(ours), `${name} for ${count}`).toBe(plain(standard))
      }
    }
  },
)

test.each(inLanguages(CODES.slice(1)))('no text of %s is missing in %s', (group, language) => {
  const english = all.get(`${group}/en`) as Texts
  const texts = all.get(`${group}/${language}`) as Texts
  expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort())
  const names = (source = '') => [...new Set(source.match(/\$\w+/g))].sort()
  for (const [name, source] of Object.entries(english)) {
    expect(texts[name], name).not.toBe('')
    const own = names(texts[name])
    // A language may leave a count out, as in "one seat", but it never has a value that English has not.
    expect(names(source), name).toEqual(expect.arrayContaining(own))
    expect(own.length > 0, name).toBe(names(source).length > 0)
  }
})

test.each(GROUPS)('every plural form of Arabic has its own variant in %s', (group) => {
  for (const [name, source] of Object.entries(all.get(`${group}/ar`) as Texts)) {
    const message = parseMessage(source)
    if (message.type !== 'select') continue
    const keys = message.variants.map(({ keys: [key] }) => (key?.type === '*' ? 'other' : key?.value))
    expect(keys, name).toEqual(expect.arrayContaining(['one', 'two', 'few', 'many', 'other']))
  }
})

test('a message that the page cannot compile stops the build', () => {
  expect(() => compileText('.match $count one {{a}} * {{b}}')).toThrow()
  expect(() => compileText('{$when :date}')).toThrow('a text uses :date')
  expect(() => compileText('{#b}bold{/b}')).toThrow('a text has markup')
})
