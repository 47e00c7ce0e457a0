import { MessageFormat } from 'messageformat'
import { LANGUAGES, type Language, type Locale } from '../languages.ts'
import { ar } from './texts/ar.ts'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'

const TEXTS: Readonly<Record<Language, Texts>> = { en, de, fr, es, ar }

/** Each message of each language, parsed once: a message that cannot be parsed stops the process at its start. */
const PARSED = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    Object.fromEntries(
      Object.entries(TEXTS[language]).map(([key, source]) => [key, new MessageFormat(language, source)]),
    ),
  ]),
) as Record<Language, Record<keyof Texts, MessageFormat>>

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const ISOLATES = /[\u2066-\u2069]/g

/** Returns a text of the locale with its values. Throws where a value is missing. */
export type Say = (key: keyof Texts, values?: Readonly<Record<string, string | number>>) => string

/**
 * The texts of a locale. A value is a word of the sentence, whatever its direction: Unicode's isolates enclose it where the sentence
 * may have both directions.
 */
export function textsOf({ language, direction }: Locale): Say {
  return (key, values = {}) => {
    const text = PARSED[language][key].format(values, (error) => {
      throw error
    })
    return direction === 'rtl' || RIGHT_TO_LEFT.test(text) ? text : text.replace(ISOLATES, '')
  }
}

/** Returns a text of an organizer that stands alone among the texts of the locale. Its marks stay on its own side. */
export function isolated(text: string, { direction }: Locale): string {
  return direction === 'rtl' || RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}

// Controls, line and paragraph separators, and the embeddings, overrides and isolates that would turn the text after them.
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu

/** Returns a text of an organizer or a fan as one line of at most so many characters, for a subject or a table. */
export function oneLine(text: string, longest = 150): string {
  const line = text.replace(UNSHOWN, ' ').trim()
  const characters = [...line]
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`
}
