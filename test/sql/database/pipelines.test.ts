import { expect, test } from 'vitest'
import { newId } from '../../../src/sale/ids.ts'
import { createDatabase } from '../../../src/sql/database/database.ts'
import { isDatabaseOutage } from '../../../src/sql/database/outage.ts'
import { statement } from '../../../src/sql/database/statement.ts'
import { callHoldSeats } from '../../../src/sql/holds/holds.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const waits: number[] = []
const db = await testDatabase({ pipelines: 2, onWait: (ms) => waits.push(ms) })
await db.sql('create table written (no int primary key)')

const many = (n: number) => Array.from({ length: n }, (_, i) => i)
const pidOf = statement('pid_of', 'select pg_backend_pid() as pid, $1::int as no')
const readPids = (n: number) =>
  Promise.all(
    many(n).map(
      (no) =>
        db.pipelined<{ pid: number; no: number }>(pidOf(no), '') as Promise<[{ pid: number; no: number }]>,
    ),
  )

test('concurrent statements share two connections, and each gets its own result', async () => {
  const answers = (await readPids(100)).map(([row]) => row)
  expect(answers.map(({ no }) => no)).toEqual(many(100))
  expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2)
})

test('another caller gets another connection meanwhile, and the two return to the pool', async () => {
  const [pids, { rows }] = await Promise.all([readPids(100), db.pool.query('select pg_backend_pid() as pid')])
  expect(pids.map(([{ pid }]) => pid)).not.toContain(rows[0].pid)
  expect(db.pool.idleCount).toBe(db.pool.totalCount)
})

test('a statement that fails undoes no other statement', async () => {
  const write = statement('write', 'insert into written values ($1::int) returning no')
  const nos = [1, 2, 1, 3, 2, 4]
  const settled = await Promise.allSettled(nos.map((no) => db.pipelined(write(no), '')))
  expect(settled.map(({ status }) => status).sort()).toEqual([
    ...Array(4).fill('fulfilled'),
    ...Array(2).fill('rejected'),
  ])
  expect(await db.sql('select no from written order by no')).toEqual([1, 2, 3, 4].map((no) => ({ no })))
})

test('a statement of a quiet event waits for none of a crowd, on a connection of its own; two crowds take turns', async () => {
  const order: string[] = []
  const run = async (eventId: string, n: number) => {
    const [row] = await db.pipelined<{ pid: number }>(pidOf(n), eventId)
    order.push(eventId)
    return row?.pid
  }
  // All connections are open, the one beside the crowd's too: no statement waits for that.
  await Promise.all([...many(40).map((n) => run('crowd', n)), run('quiet', 0)])
  order.length = 0
  const crowd = many(200).map((n) => run('crowd', n))
  const others = many(20).map((n) => run('another crowd', n))
  const quiet = run('quiet', 0)
  const pids = new Set(await Promise.all(crowd))
  expect(pids).not.toContain(await quiet)
  await Promise.all(others)
  expect(order.lastIndexOf('another crowd')).toBeLessThan(120)
})

test('a lost connection fails the statements on it as an outage, and later ones get another connection', async () => {
  const sleep = statement('sleep_long', 'select pg_sleep(30) is null as slept, pg_backend_pid() as pid')
  const lost = Promise.allSettled(many(6).map(() => db.pipelined(sleep(), '')))
  const sleeping = `select pid, pg_terminate_backend(pid)
    from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`
  const ended: number[] = []
  await expect
    .poll(async () => {
      ended.push(...(await db.sql<{ pid: number }>(sleeping)).map(({ pid }) => pid))
      return ended.length
    })
    .toBeGreaterThanOrEqual(2)
  for (const one of await lost) expect(one.status === 'rejected' && isDatabaseOutage(one.reason)).toBe(true)
  const pids = (await readPids(20)).map(([{ pid }]) => pid)
  expect(pids.filter((pid) => ended.includes(pid))).toEqual([])
})

test('the query engines load while the database is away', async () => {
  const away = createDatabase('postgres://nobody@127.0.0.1:1/none')
  await away.load()
  expect(away.pool.totalCount).toBe(0)
  await away.close()
})

test('where no connection can be opened every statement fails, and later ones try again', async () => {
  const away = createDatabase('postgres://nobody@127.0.0.1:1/none')
  for (let round = 0; round < 2; round++) {
    const settled = await Promise.allSettled(many(4).map((no) => away.pipelined(pidOf(no), '')))
    for (const one of settled) expect(one.status === 'rejected' && isDatabaseOutage(one.reason)).toBe(true)
  }
  await away.close()
})

test('the wait for the statements before it is reported of each statement', async () => {
  await readPids(2)
  waits.length = 0
  const sleep = statement('sleep', 'select pg_sleep(0.1) is null as slept')
  await Promise.all(many(6).map(() => db.pipelined(sleep(), '')))
  expect(waits).toHaveLength(6)
  const longest = Math.max(...waits)
  // Three on each connection, one behind the other.
  expect(longest).toBeGreaterThanOrEqual(190)
  expect(waits.filter((ms) => ms < 50)).toHaveLength(2)
})

test('holds that wait for a locked seat delay no hold that does not wait', async () => {
  const { id: eventId } = await insertEvent(db, { sections: [{ seats: 100 }] })
  let calls = 0
  const hold = (seatNo: number, wait: boolean) => {
    const fan = { accountId: `fan-${++calls}`, idempotencyKey: 'key', inputHash: 'hash' }
    const made = { eventId, ...fan, holdId: newId('hld', eventId), admission: null, wait }
    return callHoldSeats(db, made, { seatNos: [seatNo], wheelchairSeatNos: [] })
  }
  const client = await db.pool.connect()
  await client.query('begin')
  await client.query('select from seats where event_id = $1 and no <= 4 for update', [eventId])
  const done: string[] = []
  const waiting = [1, 2, 3, 4].map((no) => hold(no, true).finally(() => done.push('waited')))
  await expect
    .poll(() => db.sql(`select from pg_stat_activity where wait_event_type = 'Lock'`))
    .toHaveLength(4)
  const others = await Promise.all(many(40).map((i) => hold(5 + i, false)))
  expect(others.map(({ outcome }) => outcome)).toEqual(Array(40).fill('held'))
  expect(done).toEqual([])
  await client.query('rollback')
  client.release()
  expect((await Promise.all(waiting)).map(({ outcome }) => outcome)).toEqual(Array(4).fill('held'))
})
