import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RunningJobs, startJobs } from '../../../src/jobs/index.ts'
import { QUEUE_PREFIX } from '../../../src/redis/keys.ts'
import type { HoldView } from '../../../src/sale/holds/holdView.ts'
import type { DeadLetterView } from '../../../src/sale/ops/deadLetters.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { countOpenLetters, type Failure } from '../../../src/sql/ops/deadLetters.ts'
import { recordFailures } from '../../../src/sql/ops/failedJobs.ts'
import { atNetwork, testAccount } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { endSale, insertEvent, type TestEvent } from '../../support/event.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { QUICK, testJobApp, until } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()

let down = true
/** While there is a gate, captures wait for it. */
let gate: { arrived: number; open: Promise<void>; release(): void } | undefined
const captures: string[] = []

const app = await testJobApp(db.url, redis.url, (provider) => ({
  ...provider,
  async capture(request) {
    captures.push(request.intentId)
    if (gate) gate.arrived += 1
    await gate?.open
    if (down) throw new Error('the provider is down; tell ana@example.com')
    return provider.capture(request)
  },
}))
const { deadLetters } = app
const ops = { ...testAccount(), roles: new Set(['ops'] as const) }
const queue = new Queue('capturePayment', { connection: { url: redis.url }, prefix: QUEUE_PREFIX })
let jobs: RunningJobs
let event: TestEvent

beforeAll(async () => {
  // Each test adds its own job for its order: no job comes out of the outbox.
  await db.sql(`create function nothing() returns trigger language plpgsql as 'begin return null; end'`)
  await db.sql('create trigger nothing before insert on outbox for each row execute function nothing()')
  jobs = await startJobs(app, { timings: QUICK })
})
beforeEach(async () => {
  down = true
  captures.length = 0
  event = await insertEvent(db, { sections: [{ seats: 40 }] })
})
afterEach(async () => {
  gate?.release()
  gate = undefined
  await expectInvariants(db, event.id)
  await db.sql('delete from dead_letters')
  await db.sql('delete from audit_entries')
  await queue.clean(0, 0, 'failed')
  await endSale(db, event.id)
})
afterAll(async () => {
  await jobs.close(5_000)
  await queue.close()
  await app.close()
})

function closeGate() {
  let release = () => {}
  const open = new Promise<void>((resolve) => {
    release = resolve
  })
  gate = { arrived: 0, open, release }
  return gate
}

let seat = 0
async function confirmedOrder(): Promise<OrderView> {
  const account = testAccount()
  seat = (seat % 40) + 1
  const hold = (await app.holds.hold(
    { account, deviceId: null, admissionToken: null },
    {
      eventId: event.id,
      seats: [event.seatId(seat)],
      idempotencyKey: randomUUID(),
    },
  )) as HoldView
  return (await app.checkout.checkout(account, {
    holdId: hold.id,
    paymentMethod: 'pm_card_visa',
    idempotencyKey: randomUUID(),
  })) as OrderView
}

const record = (failures: Failure[]) => recordFailures(db, failures, app.queues.onceOnly)
const open = async () => (await deadLetters.list({ first: 100 })).edges.map(({ node }) => node)

/** Makes a capture fail for good, after its only attempt, and returns its letter. */
async function deadCapture(order: OrderView, jobId = `ob-${randomUUID()}`): Promise<DeadLetterView> {
  await queue.add('capturePayment', { orderId: order.id }, { jobId, attempts: 1 })
  await until(
    async () =>
      (await db.sql('select 1 from dead_letters where job_id = $1 and replayed_at is null', [jobId]))
        .length === 1,
    'the dead letter',
  )
  const [row] = await db.sql('select id from dead_letters where job_id = $1', [jobId])
  return (await deadLetters.find(row?.id)) as DeadLetterView
}

const paymentOf = async (order: OrderView) =>
  (await db.sql('select payment from orders where id = $1', [order.id]))[0]?.payment
const captured = (order: OrderView) =>
  until(async () => (await paymentOf(order)) === 'CAPTURED', 'the capture')
const audit = () => db.sql('select account_id, action, subject, detail from audit_entries order by at, id')

describe('a job that failed for good', () => {
  test('is shown without personal data, and is in the queue’s failed set', async () => {
    const order = await confirmedOrder()
    const letter = await deadCapture(order, 'ob-77')
    expect(letter).toEqual({
      id: expect.stringMatching(/^dl_[0-9a-f]{32}$/),
      queue: 'capturePayment',
      job: 'capturePayment',
      data: { orderId: order.id },
      error: 'the provider is down; tell [removed]',
      attempts: 1,
      failedAt: expect.any(Date),
      replays: 0,
    })
    expect(await open()).toEqual([letter])
    expect(await queue.getFailedCount()).toBe(1)
  })

  test('does its work once when it is replayed', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    down = false
    expect(await deadLetters.replay(ops, { ids: [id] })).toEqual({ replayed: [id], refused: [] })
    await captured(order)
    await until(async () => (await open()).length === 0, 'the letter to be settled')
    expect(await deadLetters.find(id)).toMatchObject({ replays: 1 })
    expect(await audit()).toEqual([
      { account_id: ops.id, action: 'replayDeadLetters', subject: id, detail: {} },
    ])

    expect(await deadLetters.replay(ops, { ids: [id] })).toEqual({
      replayed: [],
      refused: [{ deadLetterId: id, reason: 'It was already replayed, with success.' }],
    })
    expect(captures).toHaveLength(2)
    expect(await atNetwork(db, order.id)).toMatchObject([{ state: 'captured' }])
  })

  test('has no second effect when it runs again after another process did its work', async () => {
    const order = await confirmedOrder()
    const letter = await deadCapture(order, 'ob-88')
    down = false
    await app.checkout.capture(order.id)
    expect(captures).toHaveLength(2)
    await app.queues.replay({ ...letter, jobId: 'ob-88' })
    await until(async () => (await queue.getFailedCount()) === 0, 'the run')
    // The order is already captured: the run makes no call to the provider.
    expect(captures).toHaveLength(2)
  })

  test('is open again when the replay fails too, with its count', async () => {
    const order = await confirmedOrder()
    const first = await deadCapture(order)
    for (let replays = 1; replays <= 3; replays++) {
      expect((await deadLetters.replay(ops, { ids: [first.id] })).replayed).toEqual([first.id])
      await until(async () => captures.length === 1 + replays, 'the run')
      await until(async () => {
        const [row] = await db.sql('select replayed_at, failed_at from dead_letters')
        return row?.replayed_at === null && row.failed_at > first.failedAt
      }, 'the failure')
      expect(await open()).toMatchObject([{ id: first.id, replays, attempts: 1 }])
    }
  })
})

test('the last of several letters about one order replaces the others', async () => {
  const order = await confirmedOrder()
  const other = await deadCapture(await confirmedOrder())
  const letters = [await deadCapture(order), await deadCapture(order), await deadCapture(order)]
  const last = letters[2] as DeadLetterView
  expect(await open()).toEqual([last, other])
  await deadLetters.sweep()
  expect(await queue.getFailedCount()).toBe(2)
  down = false
  const { replayed, refused } = await deadLetters.replay(ops, { ids: letters.map(({ id }) => id) })
  expect(replayed).toEqual([last.id])
  expect(refused).toHaveLength(2)
  await captured(order)
})

describe('a letter closes by itself, and its alarm with it,', () => {
  const closed = async () => (await countOpenLetters(db)) === 0

  test('when a later job about the order does the work', async () => {
    const order = await confirmedOrder()
    await deadCapture(order)
    expect(await countOpenLetters(db)).toBe(1)
    down = false
    await app.queues.add([{ job: 'capturePayment', id: 'ob-901', data: { orderId: order.id } }])
    await captured(order)
    await until(closed, 'the letter to be settled')
    await deadLetters.sweep()
    expect(await queue.getFailedCount()).toBe(0)
    expect(await open()).toEqual([])
  })

  test('when the work was done in another way, or the process died before it closed the letter', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    down = false
    await app.checkout.capture(order.id)
    await deadLetters.sweep()
    expect(await closed()).toBe(true)
    expect(await queue.getFailedCount()).toBe(0)
    expect((await deadLetters.replay(ops, { ids: [id] })).refused).toEqual([
      { deadLetterId: id, reason: 'It was already replayed, with success.' },
    ])
  })

  test('not before the work is done', async () => {
    await deadCapture(await confirmedOrder())
    await deadLetters.sweep()
    expect(await countOpenLetters(db)).toBe(1)
  })

  test('when the offer that a mail was about has ended', async () => {
    const entry = `wle_${event.id.slice(4)}_1`
    await record([
      {
        queue: 'mailOffer',
        job: 'mailOffer',
        jobId: 'ob-1',
        subject: entry,
        data: { entryId: entry },
        error: 'x',
        attempts: 1,
        failedAt: new Date(),
      },
    ])
    await deadLetters.sweep()
    expect(await closed()).toBe(false)
    await db.sql(
      `insert into waitlist_entries (event_id, id, account_id, quantity, accept_fewer, state, ended_at)
         values ($1, $2, 'x', 1, false, 'LAPSED', now())`,
      [event.id, entry],
    )
    await deadLetters.sweep()
    expect(await closed()).toBe(true)
    await db.sql('delete from waitlist_entries')
  })
})

describe('a replay is refused', () => {
  test('while the job still runs', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    const gate = closeGate()
    down = false
    expect((await deadLetters.replay(ops, { ids: [id] })).replayed).toEqual([id])
    await until(() => gate.arrived === 1, 'the run')
    for (let i = 0; i < 3; i++) {
      expect(await deadLetters.replay(ops, { ids: [id] })).toEqual({
        replayed: [],
        refused: [{ deadLetterId: id, reason: 'It still runs, or waits to run.' }],
      })
    }
    expect(
      (await deadLetters.discard(ops, { ids: [id], reason: 'in a hurry' })).refused.map(
        ({ reason }) => reason,
      ),
    ).toEqual(['It still runs, or waits to run.'])
    gate.release()
    await captured(order)
    expect(gate.arrived).toBe(1)
    expect(await deadLetters.find(id)).toMatchObject({ replays: 1 })
  })

  test('while another job about the same order runs', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    const gate = closeGate()
    down = false
    await app.queues.add([{ job: 'capturePayment', id: 'ob-900', data: { orderId: order.id } }])
    await until(() => gate.arrived === 1, 'the other run')
    expect((await deadLetters.replay(ops, { ids: [id] })).refused).toEqual([
      { deadLetterId: id, reason: 'It still runs, or waits to run.' },
    ])
    gate.release()
    await captured(order)
  })

  test('for all but one of many replays at once', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    const gate = closeGate()
    down = false
    const answers = await Promise.all(Array.from({ length: 8 }, () => deadLetters.replay(ops, { ids: [id] })))
    expect(answers.flatMap(({ replayed }) => replayed)).toEqual([id])
    expect(answers.flatMap(({ refused }) => refused)).toHaveLength(7)
    await until(() => gate.arrived === 1, 'the run')
    gate.release()
    await captured(order)
    expect(gate.arrived).toBe(1)
    expect(await deadLetters.find(id)).toMatchObject({ replays: 1 })
    expect(await audit()).toHaveLength(1)
  })

  test('for ids that do not exist, while the other ids are replayed, each once', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    down = false
    expect(await deadLetters.replay(ops, { ids: ['dl_nobody', id, id] })).toEqual({
      replayed: [id],
      refused: [{ deadLetterId: 'dl_nobody', reason: 'There is no such dead letter.' }],
    })
    await captured(order)
  })

  test('for a queue that no longer exists', async () => {
    await record([
      {
        queue: 'retired',
        job: 'retired',
        jobId: 'ob-1',
        subject: null,
        data: {},
        error: 'x',
        attempts: 1,
        failedAt: new Date(),
      },
    ])
    const [{ id }] = (await open()) as [DeadLetterView]
    expect((await deadLetters.replay(ops, { ids: [id] })).refused).toEqual([
      { deadLetterId: id, reason: 'There is no queue retired any more.' },
    ])
    // Such a letter can only be discarded.
    expect((await deadLetters.discard(ops, { ids: [id], reason: 'retired' })).discarded).toEqual([id])
  })
})

describe('a discarded letter', () => {
  test('leaves the list and the queue, stays in the audit trail with the reason, and is not replayed', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    const decision = { ids: [id], reason: 'refunded by hand' }
    expect(await deadLetters.discard(ops, decision)).toEqual({ discarded: [id], refused: [] })
    expect(await open()).toEqual([])
    expect(await queue.getFailedCount()).toBe(0)
    expect(await audit()).toEqual([
      {
        account_id: ops.id,
        action: 'discardDeadLetters',
        subject: id,
        detail: { reason: 'refunded by hand' },
      },
    ])
    const refused = [{ deadLetterId: id, reason: 'It was discarded.' }]
    expect(await deadLetters.replay(ops, { ids: [id] })).toEqual({ replayed: [], refused })
    expect(await deadLetters.discard(ops, decision)).toEqual({ discarded: [], refused })
    await deadLetters.sweep()
    expect(await open()).toEqual([])
  })

  test('of a capture is by hand from here: no job does it or emits it, and the reconciliation shows it until it is done', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    await deadLetters.discard(ops, { ids: [id], reason: 'we call the bank' })
    await db.sql(`update orders set changed_at = now() - interval '1 day', settler_at = null where id = $1`, [
      order.id,
    ])
    expect(await app.checkout.emitAgain()).toBe(0)
    // A job that was under way when ops discarded.
    await app.queues.add([{ job: 'capturePayment', id: 'ob-902', data: { orderId: order.id } }])
    await until(async () => (await queue.getJobState('ob-902')) === 'completed', 'the run')
    expect(captures).toHaveLength(1)
    const failure = {
      queue: 'capturePayment',
      job: 'capturePayment',
      subject: order.id,
      data: { orderId: order.id },
    }
    await record([{ ...failure, jobId: 'ob-903', error: 'x', attempts: 1, failedAt: new Date() }])
    expect(await open()).toEqual([])

    const leftToOps = async () =>
      (await app.reconciliation.of(event.id)).findings.filter(({ kind }) => kind === 'LEFT_TO_OPS')
    expect(await leftToOps()).toMatchObject([
      {
        subject: order.id,
        detail: expect.stringMatching(/^ops discarded its capturePayment on .*the provider is down/),
      },
    ])
    down = false
    await app.checkout.capture(order.id)
    expect(await leftToOps()).toEqual([])
  })

  test('is refused while another job about the order runs', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    const gate = closeGate()
    await app.queues.add([{ job: 'capturePayment', id: 'ob-904', data: { orderId: order.id } }])
    await until(() => gate.arrived === 1, 'the other run')
    expect((await deadLetters.discard(ops, { ids: [id], reason: 'x' })).refused).toEqual([
      { deadLetterId: id, reason: 'It still runs, or waits to run.' },
    ])
    down = false
    gate.release()
    await captured(order)
  })

  test.each(['', '  ', 'x'.repeat(1_001)])('needs a reason of 1 to 1,000 characters', async (reason) => {
    await expect(deadLetters.discard(ops, { ids: ['dl_x'], reason })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { faults: [{ path: ['input', 'reason'] }] },
    })
  })
})

describe('after a process has died, the sweep', () => {
  test('writes the letter that the worker did not write', async () => {
    const order = await confirmedOrder()
    const { id: jobId } = await queue.add(
      'capturePayment',
      { orderId: order.id },
      { jobId: 'ob-5', attempts: 1 },
    )
    await until(async () => (await queue.getFailedCount()) === 1, 'the failure')
    await db.sql('delete from dead_letters')
    await deadLetters.sweep()
    expect(await db.sql('select job_id from dead_letters')).toEqual([{ job_id: jobId }])
    const before = await open()
    await deadLetters.sweep()
    expect(await open()).toEqual(before)
  })

  test('takes back the mark of a replay that did not reach the queue', async () => {
    const order = await confirmedOrder()
    const { id } = await deadCapture(order)
    await db.sql(`update dead_letters set replays = 1, replayed_at = now() - interval '11 seconds'`)
    await deadLetters.sweep()
    expect(await db.sql('select replayed_at from dead_letters')).toEqual([{ replayed_at: null }])
    down = false
    expect((await deadLetters.replay(ops, { ids: [id] })).replayed).toEqual([id])
    await captured(order)
  })

  test('marks a replay as succeeded whose mark was lost', async () => {
    const order = await confirmedOrder()
    const letter = await deadCapture(order)
    down = false
    const [{ job_id: jobId }] = (await db.sql('select job_id from dead_letters')) as [{ job_id: string }]
    await app.queues.replay({ ...letter, jobId })
    await captured(order)
    await until(async () => {
      await deadLetters.sweep()
      return (await open()).length === 0
    }, 'the mark')
  })

  test('removes a discarded job from a queue that could not be reached before', async () => {
    const order = await confirmedOrder()
    await deadCapture(order)
    await db.sql('update dead_letters set discarded_at = now()')
    await deadLetters.sweep()
    expect(await queue.getFailedCount()).toBe(0)
  })
})

test('a replay after a flush of Redis re-creates the job', async () => {
  const order = await confirmedOrder()
  const { id } = await deadCapture(order)
  await app.redis.flushall()
  down = false
  expect((await deadLetters.replay(ops, { ids: [id] })).replayed).toEqual([id])
  await captured(order)
  await until(async () => (await open()).length === 0, 'the letter to be settled')
})

describe('a window', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 29, 10, minute))

  async function letters(count: number, queueName = 'cancelPayment') {
    await record(
      Array.from({ length: count }, (_, i) => ({
        queue: queueName,
        job: queueName,
        jobId: `ob-${randomUUID()}`,
        subject: `ord_x_${i}`,
        data: { orderId: `ord_x_${i}` },
        error: 'x',
        attempts: 1,
        failedAt: at(i),
      })),
    )
  }

  test('includes its first moment, excludes its last, and can name one queue', async () => {
    await letters(5)
    await letters(3, 'capturePayment')
    const ids = (await deadLetters.list({ first: 100, queue: 'cancelPayment' })).edges
      .map(({ node }) => node.id)
      .reverse()
    const window = { queue: 'cancelPayment', failedAfter: at(1), failedBefore: at(4), perSecond: 1_000 }
    expect(await deadLetters.replay(ops, { window })).toEqual({ replayed: ids.slice(1, 4), refused: [] })
    await until(
      async () => (await db.sql('select 1 from dead_letters where succeeded_at is not null')).length === 3,
      'three replays',
    )
    expect(await open()).toHaveLength(5)
    expect(await audit()).toHaveLength(3)
  })

  test('is replayed at its pace, by any process', async () => {
    await letters(5)
    const window = { failedAfter: at(0), failedBefore: at(59), perSecond: 0.25 }
    expect((await deadLetters.replay(ops, { window })).replayed).toHaveLength(5)
    const due = await db.sql<{ seconds: number }>(
      `select extract(epoch from replay_at - min(replay_at) over ())::float8 as seconds
         from dead_letters where replay_at is not null order by replay_at`,
    )
    // The first letter is replayed at once; the others follow every four seconds.
    expect(due.map(({ seconds }) => seconds)).toEqual([0, 4, 8, 12])
    await db.sql(
      `update dead_letters set replay_at = replay_at - interval '4 seconds' where replay_at is not null`,
    )
    await until(
      async () => (await db.sql('select 1 from dead_letters where replays = 1')).length >= 2,
      'the next',
    )
    await db.sql(`update dead_letters set replay_at = now() where replay_at is not null`)
    await until(
      async () => (await db.sql('select 1 from dead_letters where succeeded_at is not null')).length === 5,
      'all of them',
    )
    expect(await db.sql('select distinct replays from dead_letters')).toEqual([{ replays: 1 }])
  })

  test.each([
    [{ failedAfter: at(2), failedBefore: at(2) }, 'failedBefore'],
    [{ failedAfter: at(1), failedBefore: at(2), perSecond: 0 }, 'perSecond'],
    [{ failedAfter: at(1), failedBefore: at(2), perSecond: -1 }, 'perSecond'],
    [{ failedAfter: at(1), failedBefore: at(2), perSecond: Number.NaN }, 'perSecond'],
    [{ failedAfter: at(1), failedBefore: at(2), perSecond: 1_001 }, 'perSecond'],
  ])('with an impossible range or pace is refused', async (window, path) => {
    await expect(deadLetters.replay(ops, { window })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { faults: [{ path: ['input', 'window', path] }] },
    })
  })
})

test('the pages of the list, newest first, contain each letter once, even where many failed in one moment', async () => {
  const moments = Array.from(
    { length: 23 },
    (_, i) => new Date(Date.UTC(2026, 10, 29, 10, 0, Math.floor(i / 7))),
  )
  await record(
    moments.map((failedAt, i) => ({
      queue: i % 2 ? 'cancelPayment' : 'capturePayment',
      job: 'x',
      jobId: `ob-${i}`,
      subject: `ord_x_${i}`,
      data: { n: i },
      error: 'x',
      attempts: 1,
      failedAt,
    })),
  )
  const seen: DeadLetterView[] = []
  let after: string | null = null
  do {
    const page = await deadLetters.list({ first: 5, after })
    seen.push(...page.edges.map(({ node }) => node))
    after = page.hasNextPage ? (page.edges.at(-1)?.cursor ?? null) : null
  } while (after)
  expect(seen.map(({ data }) => (data as { n: number }).n).sort((a, b) => a - b)).toEqual([...moments.keys()])
  const times = seen.map(({ failedAt }) => failedAt.getTime())
  expect(times).toEqual([...times].sort((a, b) => b - a))

  const filtered = await deadLetters.list({
    first: 100,
    queue: 'cancelPayment',
    failedAfter: moments[7],
    failedBefore: moments[14],
  })
  expect(filtered.edges.map(({ node }) => (node.data as { n: number }).n).sort((a, b) => a - b)).toEqual([
    7, 9, 11, 13,
  ])
  await expect(deadLetters.list({ first: 5, after: 'nonsense' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  })
  await expect(deadLetters.list({ first: 0 })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
})

test('with Redis away, letters can be read, and are neither replayed nor discarded', async () => {
  const order = await confirmedOrder()
  const { id } = await deadCapture(order)
  await redis.kill()
  expect(await open()).toHaveLength(1)
  const refused = [{ deadLetterId: id, reason: 'Its queue cannot be reached right now.' }]
  expect(await deadLetters.replay(ops, { ids: [id] })).toEqual({ replayed: [], refused })
  expect(await deadLetters.discard(ops, { ids: [id], reason: 'x' })).toEqual({ discarded: [], refused })
  await redis.restart('kept')
  down = false
  await until(async () => (await deadLetters.replay(ops, { ids: [id] })).replayed.length === 1, 'Redis')
  await captured(order)
})
