import type { OrderOfEvent } from '../../../sdk/index.ts'

/** Returns an event as a calendar file (RFC 5545). The service knows no end, so it has none. */
export function calendarFile(
  { id, name, startsAt, venue }: OrderOfEvent['event'],
  url: string,
  notes: string,
): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Fairgate//Tickets//EN',
    'BEGIN:VEVENT',
    `UID:${id}@fairgate`,
    `DTSTAMP:${instant(new Date().toISOString())}`,
    `DTSTART:${instant(startsAt)}`,
    `SUMMARY:${escaped(name)}`,
    `LOCATION:${escaped([venue.name, venue.city].filter(Boolean).join(', '))}`,
    `DESCRIPTION:${escaped(notes)}`,
    `URL:${url}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return lines.map(folded).join('\r\n').concat('\r\n')
}

const instant = (at: string) => at.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')

const escaped = (text: string) => text.replaceAll(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n')

/** A line has at most 75 bytes; the next one continues it after a space (section 3.1). */
function folded(line: string): string {
  const parts: string[] = []
  let part = ''
  let bytes = 0
  for (const character of line) {
    const size = new TextEncoder().encode(character).length
    if (bytes + size > 74) {
      parts.push(part)
      part = ''
      bytes = 0
    }
    part += character
    bytes += size
  }
  return [...parts, part].join('\r\n ')
}
