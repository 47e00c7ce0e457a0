import { expect, test } from 'vitest'
import { calendarFile } from '../../../clients/web/src/view/calendar.ts'

const EVENT = {
  id: 'evt_1',
  slug: 'gala',
  name: 'Gala; the best, at last',
  startsAt: '2026-12-31T19:00:00.000Z',
  timeZone: 'Europe/Berlin',
  venue: { name: 'Große Halle', city: 'Erfurt' },
}

test('a calendar file has the instant, the place, and escaped texts', () => {
  const lines = calendarFile(
    EVENT,
    'https://tickets.example.com/e/gala',
    'Block A, Row 1\nBlock A, Row 2',
  ).split('\r\n')
  expect(lines).toContain('DTSTART:20261231T190000Z')
  expect(lines).toContain('SUMMARY:Gala\\; the best\\, at last')
  expect(lines).toContain('LOCATION:Große Halle\\, Erfurt')
  expect(lines).toContain('DESCRIPTION:Block A\\, Row 1\\nBlock A\\, Row 2')
  expect(lines.at(0)).toBe('BEGIN:VCALENDAR')
  expect(lines.slice(-2)).toEqual(['END:VCALENDAR', ''])
})

test('no line of a calendar file has more than 75 bytes, and no character is cut', () => {
  const name = 'Überlänge 🎭 '.repeat(20)
  const lines = calendarFile({ ...EVENT, name }, 'https://tickets.example.com/e/gala', '').split('\r\n')
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  expect(lines.join('\r\n').replaceAll('\r\n ', '')).toContain(`SUMMARY:${name}`)
})
