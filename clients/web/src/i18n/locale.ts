/** The languages of the page, by their own names. The first one is for fans whose browser asks for none of them. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ar: 'العربية',
} as const

export type Language = keyof typeof LANGUAGES

/** A language with the region whose numbers and dates it uses. */
export interface Locale {
  readonly language: Language
  /** A BCP 47 tag, such as de-AT. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
}

/**
 * Returns the locale for a fan: the language that they chose, else the first one of ours that their browser asks for. The
 * browser also names the region.
 */
export function chooseLocale(asked: readonly string[], chosen: string | null): Locale {
  const known = asked.map(toLocale).filter((locale) => locale !== null)
  const own = chosen === null ? null : toLocale(chosen)
  return own
    ? (known.find(({ language }) => language === own.language) ?? own)
    : (known[0] ?? (toLocale('en') as Locale))
}

function toLocale(tag: string): Locale | null {
  try {
    const { language, baseName } = new Intl.Locale(tag)
    if (!Object.hasOwn(LANGUAGES, language)) return null
    return {
      language: language as Language,
      tag: baseName,
      direction: language === 'ar' ? 'rtl' : 'ltr',
    }
  } catch {
    return null
  }
}
