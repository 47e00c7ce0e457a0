import Negotiator from 'negotiator'

/** The languages of mails and tickets. The first one is for callers who name none of them. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** Longer than any tag that names a language and a region. */
const LONGEST_TAG = 35

/** A language with the region whose dates and numbers it uses. */
export interface Locale {
  readonly language: Language
  /** A BCP 47 tag, such as de-AT. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
}

/** Returns the locale of a BCP 47 tag; null where the tag is not well-formed or not of one of our languages. */
export function localeOf(tag: string): Locale | null {
  if (tag.length > LONGEST_TAG) return null
  try {
    const { language, baseName } = new Intl.Locale(tag)
    const ours = LANGUAGES.find((known) => known === language)
    return ours ? { language: ours, tag: baseName, direction: ours === 'ar' ? 'rtl' : 'ltr' } : null
  } catch {
    return null
  }
}

/** True for a well-formed tag of any language. */
export function isTag(text: string): boolean {
  try {
    return text.length <= LONGEST_TAG && new Intl.Locale(text).language !== ''
  } catch {
    return false
  }
}

export const DEFAULT_LOCALE = localeOf(LANGUAGES[0]) as Locale

/** Returns the tag of our languages that a caller prefers, by its header Accept-Language; null where it names none of them. */
export function preferredTag(acceptLanguage: string | null): string | null {
  if (acceptLanguage === null) return null
  const tags = new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages()
  return tags.map(localeOf).find((locale) => locale !== null)?.tag ?? null
}
