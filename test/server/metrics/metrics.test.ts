import { expect, test } from 'vitest'
import { insertEvent } from '../../support/event.ts'
import { testServer } from '../../support/server.ts'

const { url, app, db } = await testServer()

/** The metrics of an event, by the name without its prefix, with further labels. */
async function metricsOf(event: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = text.matchAll(new RegExp(`^fairgate_sale_(\\w+)\\{event="${event}",?(.*)\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...found].map(([, name, labels, value]) => [`${name}${labels}`, Number(value)]))
}

test('the metrics report each active sale, and no ended one', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 30 }], rate: 7 })
  const over = await insertEvent(db, { endsInSeconds: -1 })
  await db.sql(
    `update rooms set rate = 3.5, inside = 5,
       rate_reason = 'after checkout p99 3.4 s over 3 s, payment provider refuses 2.5 percent, the limit is 2'
     where event_id = $1`,
    [event.id],
  )
  await expect
    .poll(() => metricsOf(event.id), { timeout: 10_000 })
    .toEqual({
      rate: 3.5,
      rate_ceiling: 7,
      // A measured number in a label would make a new series each time.
      'rate_inforeason="checkout"': 1,
      'rate_inforeason="provider"': 1,
      admitted_up_to: 0,
      waiting: 0,
      inside: 5,
      available: 30,
      held: 0,
      held_by_non_payers: 0,
      held_by_one_origin: 0,
      sold: 0,
    })
  expect(await metricsOf(over.id)).toEqual({})
})

test('a reason that no longer applies disappears', async () => {
  const event = await insertEvent(db, { waitingRoom: true, paused: true })
  const paused = 'rate_inforeason="paused"'
  await expect.poll(() => metricsOf(event.id), { timeout: 10_000 }).toMatchObject({ [paused]: 1, rate: 0 })
  await db.sql('update sales set paused = false where event_id = $1', [event.id])
  await app.sales.refresh(event.id)
  await expect.poll(() => metricsOf(event.id), { timeout: 10_000 }).not.toHaveProperty([paused])
})

test('the inputs of the controller have metrics of their own', async () => {
  const event = await insertEvent(db)
  /** Within the last ten seconds, for as long as it takes. */
  const measured = async () => {
    app.load.checkout(event.id, 2_000)
    for (let i = 0; i < 12; i++) app.load.authorization(i % 4 === 0)
    const text = await (await fetch(`${url}/metrics`)).text()
    const value = (name: string) => {
      const line = text.split('\n').find((found) => found.startsWith(`${name} `))
      return Number(line?.slice(name.length + 1))
    }
    const p99 = value(`fairgate_sale_checkout_p99_seconds{event="${event.id}"}`)
    return {
      isP99Right: p99 > 1.9 && p99 < 2.1,
      refused: value('fairgate_provider_refused_share'),
      hasWait: value('fairgate_pool_wait_seconds') >= 0,
      waiting: value('fairgate_pool_waiting'),
    }
  }
  await expect
    .poll(measured, { timeout: 20_000 })
    .toEqual({ isP99Right: true, refused: 0.25, hasWait: true, waiting: 0 })
})

test('the metrics report at most fifty events, those that open last', async () => {
  for (let i = 0; i < 55; i++)
    await insertEvent(db, { opensInSeconds: -100_000 - i, sections: [{ seats: 1 }] })
  const last = await insertEvent(db, { opensInSeconds: -10 })
  await expect.poll(() => metricsOf(last.id), { timeout: 10_000 }).toMatchObject({ available: 40 })
  const reported = async () =>
    (await (await fetch(`${url}/metrics`)).text()).match(/^fairgate_sale_rate\{/gm)?.length
  await expect.poll(reported, { timeout: 10_000 }).toBe(50)
})

test('the names and texts of the metrics are as Prometheus’ own check wants them', async () => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  expect(types.length).toBeGreaterThan(40)
  for (const { name, type } of types) {
    expect(name.endsWith('_total'), `${name} is a ${type}`).toBe(type === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|percent)(_|$)/)
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'))
  }
})
