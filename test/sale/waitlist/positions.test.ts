import { afterEach, expect, test, vi } from 'vitest'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { type Ahead, createPositions, type PositionedEntry } from '../../../src/sale/waitlist/positions.ts'
import { readWaiting } from '../../../src/sql/waitlist.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase()
const catalogue = createCatalogue(database)
afterEach(() => vi.useRealTimers())

/** An event of three sections with a price level each, and `count` entries with random wishes. */
async function waiting(count: number) {
  const event = await insertEvent(database, { sections: [{ seats: 2 }, { seats: 2 }, { seats: 2 }] })
  const random = seededRandom()
  const pick = () => (random() < 0.5 ? null : 1 + Math.floor(random() * 3))
  const wish = () => {
    const [section, level] = [pick(), pick()]
    return [section, section === null ? level : level && section]
  }
  for (let i = 0; i < count; i++) {
    const [section, level] = wish()
    const others = random() < 0.3 ? [wish(), wish()] : []
    await database.sql(
      `insert into waitlist_entries (
         event_id, id, account_id, quantity, accept_fewer, section_no, level_no, else_sections, else_levels, wheelchair_seats
       ) values ($1, $2, $2, $3, false, $4, $5, $6, $7, $8)`,
      [
        event.id,
        `wle_${event.id}_${i}`,
        1 + Math.floor(random() * 4),
        section,
        level,
        others.map(([section]) => section),
        others.map(([, level]) => level),
        random() < 0.2 ? 1 : 0,
      ],
    )
  }
  return event
}

function counted() {
  let reads = 0
  const positions = createPositions({
    read(eventId) {
      reads++
      return readWaiting(database, eventId)
    },
    catalogue,
  })
  return { ...positions, reads: () => reads }
}

/** What is ahead of each entry, by a statement that compares every pair of entries. */
function aheadOf(eventId: string) {
  return database.sql<PositionedEntry & { ahead: Ahead }>(
    `select w.event_id as "eventId", w.no::float8 as no, w.wheelchair_seats as "wheelchairSeats", (
        select json_agg(json_build_object('sectionNo', x.section_no, 'levelNo', x.level_no))
        from wishes_of(w.section_no, w.level_no, w.else_sections, w.else_levels) x
      ) as wishes, (
        select json_build_object('entries', count(*), 'tickets', coalesce(sum(a.quantity), 0))
        from waitlist_entries a
        where a.event_id = w.event_id and a.state = 'WAITING' and a.no < w.no
          and (a.wheelchair_seats > 0) = (w.wheelchair_seats > 0) and exists (
            select from wishes_of(w.section_no, w.level_no, w.else_sections, w.else_levels) x,
              wishes_of(a.section_no, a.level_no, a.else_sections, a.else_levels) y,
              sections s, unnest(s.level_nos) level
            where s.event_id = w.event_id
              and s.no = coalesce(x.section_no, s.no) and s.no = coalesce(y.section_no, s.no)
              and level = coalesce(x.level_no, level) and level = coalesce(y.level_no, level))
      ) as ahead
      from waitlist_entries w where w.event_id = $1 and w.state = 'WAITING' order by w.no`,
    [eventId],
  )
}

test('an entry’s position counts the entries ahead that could take the same seats', async () => {
  const event = await waiting(80)
  await database.sql(
    "update waitlist_entries set state = 'LEFT', ended_at = now() where event_id = $1 and no % 7 = 0",
    [event.id],
  )
  const positions = counted()
  const entries = await aheadOf(event.id)
  expect(entries.length).toBeGreaterThan(60)
  const answers = await Promise.all(entries.map((entry) => positions.now(entry)))
  expect(answers).toEqual(entries.map(({ ahead }) => ahead))
})

test('one read serves every subscriber, and the next read comes three seconds later', async () => {
  const event = await waiting(40)
  const entries = await aheadOf(event.id)
  const positions = counted()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const watch = () => Promise.all(entries.map((entry) => positions.recent(entry)))
  const answers = await watch()
  await database.sql('delete from waitlist_entries where event_id = $1 and no = $2', [
    event.id,
    entries[0]?.no,
  ])
  expect(await watch()).toEqual(answers)
  expect(positions.reads()).toBe(1)
  const left = entries.slice(1)
  const now = (await aheadOf(event.id)).map(({ ahead }) => ahead)
  // A fan's own request gets the current position.
  expect(await Promise.all(left.map((entry) => positions.now(entry)))).toEqual(now)
  expect(positions.reads()).toBeLessThanOrEqual(3)
  const before = positions.reads()
  vi.advanceTimersByTime(3_000)
  expect(await Promise.all(left.map((entry) => positions.recent(entry)))).toEqual(now)
  expect(positions.reads()).toBe(before + 1)
})

test('a read that fails is repeated by the next call', async () => {
  const event = await waiting(1)
  const [entry] = await aheadOf(event.id)
  let isAway = true
  const positions = createPositions({
    read: async (eventId) => {
      if (isAway) throw new Error('away')
      return readWaiting(database, eventId)
    },
    catalogue,
  })
  await expect(positions.recent(entry as PositionedEntry)).rejects.toThrow('away')
  isAway = false
  expect(await positions.recent(entry as PositionedEntry)).toEqual({ entries: 0, tickets: 0 })
})
