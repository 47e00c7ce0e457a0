import { expect, test } from 'vitest'
import { SCHEDULE, scheduleAlerts, takeAlerts } from '../../../src/sql/room/alertMessages.ts'
import { readEventsWithAlerts } from '../../../src/sql/room/turnAlerts.ts'
import { testDatabase } from '../../support/database.ts'

const db = await testDatabase()

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const inner of node.Plans ?? []) yield* nodesOf(inner)
}

/** Two events with 20,000 alerts each, of which one has called 10 places and comes soon to 20 more. */
async function fill() {
  await db.sql('alter table turn_alerts set (autovacuum_enabled = off)')
  await db.sql(
    `insert into places (event_id, arrival, account, device)
     select e, n, decode(lpad(to_hex(n), 24, '0'), 'hex'), '\\x0000000000000000'
     from unnest(array['evt_a', 'evt_b']) e, generate_series(1, 20000) n`,
  )
  await db.sql(
    `insert into turn_alerts (event_id, arrival, target, device, place, moment, locale, email)
     select event_id, arrival, '', device, arrival, 'SOON', 'en', 'fan@example.com' from places`,
  )
  await db.sql('analyze places, turn_alerts')
}

await fill()

test('a tick reads the alerts that are due, and no other one of the many that wait', async () => {
  const client = await db.pool.connect()
  await client.query('begin')
  const { rows } = await client.query({
    text: `explain (analyze, format json) ${SCHEDULE}`,
    values: ['evt_a', 30, 10, 600, 1_000],
  })
  await client.query('rollback')
  client.release()
  const scans = [...nodesOf(rows[0]['QUERY PLAN'][0].Plan)].filter(({ 'Node Type': type }) =>
    type.includes('Scan'),
  )
  const alerts = scans.filter((node) => node['Relation Name'] === 'turn_alerts')
  expect(alerts.length).toBeGreaterThan(1)
  for (const node of alerts) {
    expect(node['Node Type']).toMatch(/Index/)
    expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(30)
  }
  expect(alerts.map((node) => node['Index Name'])).toContain('turn_alerts_waiting')
})

test('the search for events reads one alert of each event', async () => {
  expect(await readEventsWithAlerts(db)).toEqual(['evt_a', 'evt_b'])
})

test('each alert is due once at each moment', async () => {
  const due = { soonUpTo: 30, turnUpTo: 10, turnSeconds: 600 }
  expect(await scheduleAlerts(db, 'evt_a', due, 1_000)).toBe(30)
  expect(await scheduleAlerts(db, 'evt_a', due, 1_000)).toBe(0)
  const first = await takeAlerts(db, 'evt_a', 5)
  expect(first).toHaveLength(5)
  const taken = [...first, ...(await takeAlerts(db, 'evt_a', 100))]
  expect(
    taken
      .filter(({ sending }) => sending === 'TURN')
      .map(({ place }) => place)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 10 }, (_, i) => i + 1))
  expect(taken.filter(({ sending }) => sending === 'SOON')).toHaveLength(20)
  expect(await takeAlerts(db, 'evt_a', 100)).toEqual([])
  expect(await scheduleAlerts(db, 'evt_a', { ...due, soonUpTo: 31, turnUpTo: 31 }, 1_000)).toBe(21)
})
