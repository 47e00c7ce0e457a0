import type { Moment } from '../../sql/room/turnAlerts.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import type { Locale } from '../languages.ts'
import type { Letter } from './letter.ts'
import { oneLine, textsOf } from './texts.ts'

interface Alert {
  readonly moment: Moment
  readonly event: Pick<CatalogueEvent, 'name' | 'slug'>
  readonly locale: Locale
  /** Seconds of a turn. */
  readonly turnSeconds: number
}

/** Returns the mail to a fan in the line: the turn comes soon, or has come. */
export function alertLetter({ moment, event, locale, turnSeconds }: Alert, publicUrl: string): Letter {
  const say = textsOf(locale)
  const isSoon = moment === 'SOON'
  return {
    subject: say(isSoon ? 'soonSubject' : 'turnSubject', { event: oneLine(event.name) }),
    heading: say(isSoon ? 'soonHeading' : 'turnHeading'),
    paragraphs: [isSoon ? say('soonText') : say('turnText', { count: minutesOf(turnSeconds) })],
    facts: [],
    button: { label: say('seeEvent'), url: `${publicUrl}/e/${event.slug}` },
    closing: isSoon ? [] : [say('turnEnd')],
    footer: say('alertFooter'),
  }
}

/** Returns the same as a browser's notification. */
export function alertNotice({ moment, event, locale, turnSeconds }: Alert): { title: string; body: string } {
  const say = textsOf(locale)
  const name = oneLine(event.name)
  return moment === 'SOON'
    ? { title: say('soonSubject', { event: name }), body: say('soonText') }
    : { title: say('turnSubject', { event: name }), body: say('turnText', { count: minutesOf(turnSeconds) }) }
}

function minutesOf(seconds: number): number {
  return Math.max(1, Math.floor(seconds / 60))
}
