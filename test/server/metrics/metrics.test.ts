import { expect, test } from 'vitest'
import { insertEvent } from '../../support/event.ts'
import { testServer } from '../../support/server.ts'

const { url, app, db } = await testServer()

/** What the metrics say of an event, by the name without its prefix, with other labels. */
async function metricsOf(event: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = text.matchAll(new RegExp(`^fairgate_sale_(\\w+)\\{event="${event}",?(.*)\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...found].map(([, name, labels, value]) => [`${name}${labels}`, Number(value)]))
}

test('of each active sale it is told where it stands, and of none that is over', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 30 }], rate: 7 })
  const over = await insertEvent(db, { endsInSeconds: -1 })
  await db.sql(
    `update rooms set rate = 3.5, inside = 5,
       rate_reason = 'after checkout p99 3.4 s over 3 s, payment provider refuses 2.5 percent, the limit is 2'
     where event_id = $1`,
    [event.id],
  )
  expect(await metricsOf(event.id)).toEqual({
    rate: 3.5,
    rate_ceiling: 7,
    // A measured number in a label would be another series with each cut.
    'rate_inforeason="checkout"': 1,
    'rate_inforeason="provider"': 1,
    admitted_up_to: 0,
    waiting: 0,
    inside: 5,
    available: 30,
    held: 0,
    sold: 0,
  })
  expect(await metricsOf(over.id)).toEqual({})
})

test('a reason that is over is gone', async () => {
  const event = await insertEvent(db, { waitingRoom: true, paused: true })
  const paused = 'rate_inforeason="paused"'
  await expect.poll(() => metricsOf(event.id), { timeout: 10_000 }).toMatchObject({ [paused]: 1, rate: 0 })
  await db.sql('update sales set paused = false where event_id = $1', [event.id])
  await app.sales.refresh(event.id)
  await expect.poll(() => metricsOf(event.id), { timeout: 10_000 }).not.toHaveProperty([paused])
})

test('what the controller goes by is told in its own figures', async () => {
  const event = await insertEvent(db)
  app.load.checkout(event.id, 2_000)
  for (let i = 0; i < 12; i++) app.load.authorization(i % 4 === 0)
  const p99 = async () => (await metricsOf(event.id)).checkout_p99_seconds
  await expect.poll(p99, { timeout: 10_000 }).toBeGreaterThan(1.9)
  expect(await p99()).toBeLessThan(2.1)
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toMatch(/^fairgate_provider_refused_share 0\.25$/m)
  expect(text).toMatch(/^fairgate_pool_wait_seconds \d/m)
  expect(text).toMatch(/^fairgate_pool_waiting 0$/m)
})

test('a crowd of events leaves the metrics bounded: those that open last are told', async () => {
  for (let i = 0; i < 55; i++)
    await insertEvent(db, { opensInSeconds: -100_000 - i, sections: [{ seats: 1 }] })
  const last = await insertEvent(db, { opensInSeconds: -10 })
  await expect.poll(() => metricsOf(last.id), { timeout: 10_000 }).toMatchObject({ available: 40 })
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text.match(/^fairgate_sale_rate\{/gm)).toHaveLength(50)
})
