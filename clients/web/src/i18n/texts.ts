import { signal } from '@preact/signals'
import type { texts as buy } from '../texts/buy/en.ts'
import type { texts as line } from '../texts/line/en.ts'
import type { texts as map } from '../texts/map/en.ts'
import type { texts as page } from '../texts/page/en.ts'
import type { texts as tickets } from '../texts/tickets/en.ts'
import { createFormatter, type Formatter } from './formatter.ts'
import { chooseLocale, type Language, type Locale } from './locale.ts'

/** The sources of a group's texts, by group. A step of the page loads the groups that it shows. */
interface Sources {
  page: typeof page
  line: typeof line
  map: typeof map
  buy: typeof buy
  tickets: typeof tickets
}
export type Group = keyof Sources

type Values = Readonly<Record<string, string | number>>
type Message = string | ((values: Values, formatter: Formatter) => string)

/** The names of a message's values: `count` for "{$count} seats". */
type First<S extends string, End extends string> = S extends `${infer Head}${End}${string}` ? Head : S
type NameOf<S extends string> = First<First<First<S, '}'>, ' '>, '\n'>
type Names<S extends string> = S extends `${string}$${infer Rest}` ? NameOf<Rest> | Names<Rest> : never

type Source<Key extends TextKey> = Key extends `${infer G extends Group}.${infer Name}`
  ? Name extends keyof Sources[G]
    ? Extract<Sources[G][Name], string>
    : never
  : never

/** A text's name with its group: `page.seatName`. */
export type TextKey = { [G in Group]: `${G}.${Extract<keyof Sources[G], string>}` }[Group]

export type ValuesOf<Key extends TextKey> =
  Names<Source<Key>> extends infer Name extends string
    ? [Name] extends [never]
      ? []
      : [values: { readonly [N in Name]: string | number }]
    : never

interface Texts {
  readonly locale: Locale
  readonly formatter: Formatter
  readonly groups: ReadonlyMap<Group, Readonly<Record<string, Message>>>
}

const STORED = 'fairgate.language'

const current = signal<Texts>(withLocale(chooseLocale(navigator.languages, stored())))

function withLocale(locale: Locale): Texts {
  return { locale, formatter: createFormatter(locale), groups: new Map() }
}

/** Null where the browser keeps nothing, for example in a private window with strict settings. */
function stored(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}

/** The locale in use. A view that reads it is rendered again when the fan chooses another language. */
export const locale = () => current.value.locale

/** The formatter of the locale in use. */
export const formatter = () => current.value.formatter

/** Loads groups of texts in the language in use. Throws if one cannot be loaded. */
export async function loadTexts(...groups: readonly Group[]): Promise<void> {
  await show(current.peek(), groups)
}

/** Shows the page in another language, and keeps the choice on this device. Throws if its texts cannot be loaded. */
export async function chooseLanguage(language: Language): Promise<void> {
  const loaded = [...current.peek().groups.keys()]
  await show(withLocale(chooseLocale(navigator.languages, language)), loaded)
  try {
    localStorage.setItem(STORED, language)
  } catch {
    // The choice holds until the page is closed.
  }
}

async function show(texts: Texts, wanted: readonly Group[]) {
  const { language, tag, direction } = texts.locale
  const missing = wanted.filter((group) => !texts.groups.has(group))
  const modules = await Promise.all(missing.map((group) => import(`../texts/${group}/${language}.ts`)))
  const isLate = current.peek().locale !== texts.locale && texts.groups.size > 0
  if (isLate) return
  // Another call may have loaded groups in the meantime.
  const now = current.peek().locale === texts.locale ? current.peek() : texts
  current.value = {
    ...now,
    groups: new Map([...now.groups, ...missing.map((group, i) => [group, modules[i].texts] as const)]),
  }
  document.documentElement.lang = tag
  document.documentElement.dir = direction
}

/**
 * Returns a text in the language in use, with its values. A number is written as the language writes numbers. A view that
 * calls it is rendered again when the fan chooses another language. The group of the text must be loaded.
 */
export function t<Key extends TextKey>(key: Key, ...[values]: ValuesOf<Key>): string {
  const [group = '', name = ''] = key.split('.')
  const { groups, formatter } = current.value
  const message = groups.get(group as Group)?.[name]
  if (message === undefined) throw new Error(`the texts of "${group}" are not loaded`)
  return typeof message === 'string' ? message : message(values ?? {}, formatter)
}
