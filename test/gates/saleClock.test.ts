import { expect, test } from 'vitest'
import { functionFiles } from '../../src/sql/database/migrate.ts'
import { sourcesBelow } from './sources.ts'

const END = String.raw`\b(?:\w+\.)?(?:p_)?(?:expires_at|held_until)\b`
const OPERATOR = String.raw`(?:<=|>=|<>|<|>|\b(?:not\s+)?between\b)`
const CLOCK = String.raw`(?:\(select sale_clock\(\)\)|sale_clock\(\)|v_clock\b|coalesce\(p_clock, \(select sale_clock\(\)\)\))`
const COMPARISON = new RegExp(String.raw`${END}\s*${OPERATOR}\s*[^\n]*|\S+\s*${OPERATOR}\s*${END}`, 'gi')
const BY_THE_CLOCK = new RegExp(String.raw`^${END}\s*(?:<=|>)\s*${CLOCK}`, 'i')

/** Comparisons that decide something else than whether a time is over. */
const OTHERS: Record<string, readonly string[]> = {
  // Spares the read of the pulse.
  'is_free.sql': ['p_held_until <= now()'],
  // The value of the clock at the last pulse.
  'renew_pulse.sql': ['h.expires_at > v_last', 'a.expires_at > v_last', 's.held_until > v_last'],
  // An admission follows its hold, and is never shortened.
  // An admission that was alive at the claim follows its hold.
  'decline_order.sql': ['a.expires_at > v_order.placed_at', 'a.expires_at < v_until'],
  'extend_refused_hold.sql': ['a.expires_at < v_own_end'],
  'write_hold.sql': ['a.expires_at < v_until'],
  // Measures how long searches last.
  'src/sql/ops/history.ts': ['a.expires_at > $3'],
}

/** The comparisons in a statement that use another clock. */
function otherClocks(name: string, text: string): string[] {
  const code = text.replaceAll(/--.*/g, '')
  return [...code.matchAll(COMPARISON)]
    .flatMap(([match]) => match.split(/\b(?:and|or|then)\b/i))
    .map((part) => part.trim())
    .filter((part) => new RegExp(`${END}\\s*${OPERATOR}|${OPERATOR}\\s*${END}`, 'i').test(part))
    .filter((part) => !BY_THE_CLOCK.test(part))
    .filter((part) => !OTHERS[name]?.some((other) => part.startsWith(other)))
}

test('every comparison with the end of a hold or an admission uses the clock that stops in an outage', async () => {
  const statements: [string, string][] = [...(await functionFiles())]
  for (const { path, strings } of sourcesBelow('src/sql')) statements.push([path, strings.join('\n')])
  const found = statements.flatMap(([name, text]) =>
    otherClocks(name, text).map((comparison) => `${name}: ${comparison}`),
  )
  expect(found).toEqual([])
  const byTheClock = statements.flatMap(([, text]) => text.match(/\bsale_clock\(/g) ?? [])
  expect(byTheClock.length).toBeGreaterThan(15)
})

test('a comparison with another clock is seen', () => {
  for (const wrong of [
    'h.expires_at <= now()',
    'now() < s.held_until',
    'expires_at > clock_timestamp()',
    'h.expires_at >= sale_clock()',
    'h.expires_at between now() and v_until',
    "h.ended_at is null and h.expires_at > now() - interval '1 second' and true",
  ])
    expect(otherClocks('some.sql', `select 1 where ${wrong}`), wrong).toHaveLength(1)
  for (const right of [
    'h.expires_at <= sale_clock()',
    'h.expires_at > (select sale_clock()) and h.expires_at > v_clock',
  ])
    expect(otherClocks('some.sql', `select 1 where ${right}`), right).toEqual([])
})
