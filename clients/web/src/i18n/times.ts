import { formatter, t } from './texts.ts'

const DAY_SECONDS = 86_400

/** "4:05", "1:04:05" from an hour on, or "2 days" from two days on. */
export function clockTime(seconds: number): string {
  if (seconds >= 2 * DAY_SECONDS) return t('page.days', { count: Math.floor(seconds / DAY_SECONDS) })
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] ? parts : parts.slice(1)
  return shown.map((part, i) => (i ? formatter().twoDigits(part) : formatter().number(part))).join(':')
}

/** "4 minutes, 5 seconds": a screen reader reads 4:05 as a time of day. */
export function duration(seconds: number): string {
  return formatter().duration(seconds)
}

/** An estimate without false precision: "About 4 minutes". */
export function roughTime(seconds: number): string {
  if (seconds < 60) return t('page.underMinute')
  const minutes = Math.round(seconds / 60)
  const time =
    minutes < 60
      ? formatter().units(minutes, 'minute')
      : formatter().units(Math.round(minutes / 30) / 2, 'hour')
  return t('page.about', { time })
}

/** "at 20:00 CET", "on Monday 7 December at 20:00 CET". */
export function when(instant: string): string {
  const time = timeOfDay(instant)
  return isNear(instant, 20) ? t('page.atTime', { time }) : t('page.onDay', { time })
}

function isNear(instant: string, hours: number): boolean {
  return Math.abs(Date.parse(instant) - Date.now()) < hours * 3_600_000
}

/** A time in the reader's own time zone, with the day or the year where they are not obvious. */
export function timeOfDay(instant: string): string {
  return formatter().date(instant, {
    ...(isNear(instant, 20) ? {} : { weekday: 'long', day: 'numeric', month: 'long' }),
    ...(isNear(instant, 180 * 24) ? {} : { year: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  })
}

/** The start of an event, in the venue's time zone: "Thursday 31 December 2026, 20:00 CET". */
export function eventDate(startsAt: string, timeZone: string): string {
  return t('page.dateAndTime', {
    date: formatter().date(startsAt, {
      timeZone,
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }),
    time: formatter().date(startsAt, {
      timeZone,
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
  })
}

/** The time of day of an instant in milliseconds, in the reader's own time zone: "20:42". */
export function clockOf(at: number): string {
  return formatter().date(new Date(at).toISOString(), { hour: 'numeric', minute: '2-digit' })
}
