import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createJobQueues } from '../../../src/jobs/bullmq/queues.ts'
import { scheduleId } from '../../../src/jobs/bullmq/scheduleKeeper.ts'
import { type Outcome, type RunningWorker, startWorker } from '../../../src/jobs/bullmq/workers.ts'
import { defineEventRounds, defineTask, type Job, RunLater } from '../../../src/jobs/kit.ts'
import { testDatabase } from '../../support/database.ts'
import { QUICK, testJobApp, until } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
const server = await testRedis()
const app = await testJobApp(db.url, server.url)

let run: (subject: string) => Promise<void> = async () => {}
const data = z.strictObject({ subject: z.string() })
const common = {
  data,
  subject: ({ subject }: { subject: string }) => subject,
  run: (_: unknown, { subject }: { subject: string }) => run(subject),
}
const task = defineTask({
  name: 'task',
  concurrency: 4,
  attempts: 3,
  retryAfterMs: 20,
  once: true,
  ...common,
})
let found = ['all']
const round = defineEventRounds({
  name: 'round',
  everyMs: 50,
  concurrency: 3,
  find: async () => found.map((eventId) => ({ eventId })),
  run: (_, { eventId }) => run(eventId),
})
const queues = createJobQueues({ redisUrl: server.url, jobs: [task, round], log: app.log })
await until(() => queues.counts().catch(() => undefined), 'Redis')

const workers: RunningWorker[] = []
const outcomes: string[] = []
let replaced = 0

function start(job: Job, redisUrl = server.url): RunningWorker {
  const worker = startWorker({
    job,
    app: { ...app, queues },
    redisUrl,
    timings: QUICK,
    metrics: {
      ran: (name: string, outcome: Outcome) => void outcomes.push(`${name} ${outcome}`),
      stalled() {},
      replaced() {
        replaced++
      },
    },
    onTrouble() {},
  })
  workers.push(worker)
  return worker
}

afterEach(async () => {
  run = async () => {}
  found = ['all']
  for (const worker of workers.splice(0)) {
    await Promise.race([worker.drain(), sleep(2_000)])
    worker.cut()
  }
  outcomes.length = 0
  await app.redis.flushall()
  await db.sql('delete from dead_letters')
})
afterAll(async () => {
  await queues.close()
  await app.close()
})

const schedule = () => queues.schedules.put('round', scheduleId(round), round.everyMs, {})
const add = (...subjects: string[]) =>
  queues.add(subjects.map((subject) => ({ job: 'task', id: `id-${subject}`, data: { subject } })))

test('a task that fails is retried up to its number of attempts, and then becomes a dead letter', async () => {
  const tried: string[] = []
  run = async (subject) => {
    tried.push(subject)
    if (subject === 'heals' && tried.filter((s) => s === subject).length === 3) return
    throw new Error('no luck')
  }
  start(task)
  await add('heals', 'never')
  await until(() => outcomes.includes('task done'), 'the success')
  await until(async () => (await db.sql('select 1 from dead_letters')).length === 1, 'the dead letter')
  expect(tried.sort()).toEqual(['heals', 'heals', 'heals', 'never', 'never', 'never'])
  expect(await db.sql('select queue, job, job_id, data, error, attempts, replays from dead_letters')).toEqual(
    [
      {
        queue: 'task',
        job: 'task',
        job_id: 'id-never',
        data: { subject: 'never' },
        error: 'no luck',
        attempts: 3,
        replays: 0,
      },
    ],
  )
  expect(outcomes.filter((outcome) => outcome === 'task dead')).toHaveLength(1)
})

test('a job with invalid data becomes a dead letter at once, without a second attempt', async () => {
  start(task)
  await queues.add([{ job: 'task', id: 'poison', data: { sub: 'x', email: 'ana@example.com' } }])
  await until(async () => (await db.sql('select 1 from dead_letters')).length === 1, 'the dead letter')
  const [letter] = await db.sql('select data, error, attempts from dead_letters')
  expect(letter).toEqual({
    data: { sub: 'x', email: '[removed]' },
    error: expect.stringContaining('the data are not valid'),
    attempts: 1,
  })
})

test('jobs that fail do not delay other jobs', async () => {
  const done: string[] = []
  run = async (subject) => {
    if (subject.startsWith('poison')) throw new Error('poison')
    done.push(subject)
  }
  start(task)
  await add(...Array.from({ length: 20 }, (_, i) => (i % 2 ? `poison-${i}` : `good-${i}`)))
  await until(() => done.length === 10, 'the good ones')
  await until(async () => (await db.sql('select 1 from dead_letters')).length === 10, 'the dead letters')
})

test('a run that did nothing runs again later, and costs no attempt', async () => {
  let busy = 7
  run = async () => {
    if (busy-- > 0) throw new RunLater(10)
  }
  start(task)
  await add('patient')
  await until(() => outcomes.includes('task done'), 'the run')
  expect(outcomes).toEqual([...Array(7).fill('task later'), 'task done'])
  expect(await db.sql('select 1 from dead_letters')).toEqual([])
})

test('an event that hangs delays no other event, and its own next round does not start', async () => {
  const rounds = { stuck: 0, free: 0 }
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  run = async (eventId) => {
    rounds[eventId as keyof typeof rounds]++
    if (eventId === 'stuck') await free
  }
  found = ['stuck', 'free']
  start(round)
  await schedule()
  await until(() => rounds.free > 40, 'forty rounds of the other')
  expect(rounds.stuck).toBe(1)
  release()
  await until(() => rounds.stuck > 1, 'its next round')
})

test('a drain waits for the events that outlive their run, and starts no other', async () => {
  found = ['a', 'b', 'c', 'd', 'e']
  const started: string[] = []
  let finished = 0
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  run = async (eventId) => {
    started.push(eventId)
    await free
    finished++
  }
  const worker = start(round)
  await schedule()
  await until(() => outcomes.filter((outcome) => outcome.startsWith('round')).length > 3, 'some runs to end')
  expect(started).toEqual(['a', 'b', 'c'])
  let isDrained = false
  const drained = worker.drain().then(() => {
    isDrained = true
  })
  await sleep(100)
  expect(isDrained).toBe(false)
  release()
  await drained
  expect(finished).toBe(3)
  expect(started).toEqual(['a', 'b', 'c'])
})

test('a round that fails leaves no failed job and no dead letter', async () => {
  run = async () => {
    throw new Error('no luck')
  }
  start(round)
  await schedule()
  await until(() => outcomes.filter((outcome) => outcome === 'round failed').length > 5, 'some rounds')
  expect(outcomes).not.toContain('round done')
  expect((await queues.counts()).round?.failed).toBe(0)
  expect(await db.sql('select 1 from dead_letters')).toEqual([])
})

test('a drain finishes the current runs, and leaves waiting jobs to another worker', async () => {
  const started: string[] = []
  const finished: string[] = []
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  run = async (subject) => {
    started.push(subject)
    await free
    finished.push(subject)
  }
  const worker = start(task)
  await add('a', 'b', 'c', 'd', 'e', 'f')
  await until(() => started.length === 4, 'four runs')
  const drained = worker.drain()
  release()
  await drained
  expect(finished).toEqual(started)
  const counts = (await queues.counts()).task
  expect(counts).toMatchObject({ active: 0, waiting: 6 - started.length })
  start(task)
  await until(() => finished.length === 6, 'the rest')
  expect(finished.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('a worker that is idle while work waits is replaced', async () => {
  const proxy = await blackHole()
  const done: string[] = []
  run = async (subject) => void done.push(subject)
  const worker = start(task, proxy.url)
  await add('before')
  await until(() => done.includes('before'), 'the first')
  // The worker's connections stay open and carry nothing any more; new connections work.
  proxy.swallow()
  await add('after')
  await until(async () => {
    await worker.replaceIfStuck()
    await sleep(500)
    return done.includes('after')
  }, 'the replacement')
  expect(replaced).toBeGreaterThanOrEqual(1)
  proxy.close()
})

test('a worker whose fetch is never answered is replaced, and its job starts again', async () => {
  const proxy = await blackHole()
  const done: string[] = []
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  const begun: string[] = []
  run = async (subject) => {
    begun.push(subject)
    if (subject === 'before') await free
    done.push(subject)
  }
  const worker = start(task, proxy.url)
  await add('before')
  await until(() => begun.includes('before'), 'the first')
  proxy.swallowAnswers()
  await add('after')
  // Redis stores the end of the first job and hands out the next one, to a worker that does not hear of it.
  release()
  await until(async () => (await queues.counts()).task?.waiting === 0, 'the fetch')
  await until(async () => {
    await worker.replaceIfStuck()
    return done.includes('after')
  }, 'the replacement')
  // On a busy machine the first job's lock may run out, and it runs twice.
  expect(new Set(done)).toEqual(new Set(['before', 'after']))
  proxy.close()
})

test('a worker that is busy is not replaced', async () => {
  const before = replaced
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  run = () => free
  const worker = start(task)
  await add('a', 'b', 'c', 'd', 'waits')
  await until(async () => (await queues.counts()).task?.active === 4, 'four runs')
  for (let i = 0; i < 4; i++) await worker.replaceIfStuck()
  expect(replaced).toBe(before)
  release()
  await until(() => outcomes.length === 5, 'all of them')
})

/** A proxy in front of Redis. After `swallow`, the connections of then carry nothing any more. */
async function blackHole() {
  const { port } = new URL(server.url)
  const pairs = new Set<[Socket, Socket]>()
  const proxy: Server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1')
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    client.pipe(upstream).pipe(client)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        for (const end of pair) end.destroy()
      })
    }
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  return {
    url: `redis://127.0.0.1:${(proxy.address() as { port: number }).port}`,
    /** What Redis sends is lost; what clients send arrives. */
    swallowAnswers() {
      for (const [client, upstream] of pairs) {
        upstream.unpipe(client)
        upstream.resume()
      }
    },
    swallow() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream)
        upstream.unpipe(client)
        client.resume()
        upstream.resume()
      }
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      proxy.close()
    },
  }
}

test('the jobs of one event wait for one job of each other event, however many of these wait', async () => {
  const order: string[] = []
  run = async (subject) => void order.push(subject.split('_')[1] as string)
  const add = (event: string, count: number, batch: number) =>
    queues.add(
      Array.from({ length: count }, (_, i) => ({
        job: 'task',
        id: `${event}-${batch}-${i}`,
        data: { subject: `ord_${event}_${batch}x${i}` },
      })),
    )
  for (const batch of [0, 1, 2]) await add('crowd', 100, batch)
  await add('quiet', 3, 0)
  await add('crowd', 100, 3)
  await add('calm', 2, 0)
  start({ ...task, concurrency: 1 })
  await until(() => order.length === 405, 'all jobs')
  expect(order.slice(0, 8).toSorted()).toEqual(
    [...Array(3).fill('crowd'), 'calm', 'calm', ...Array(3).fill('quiet')].toSorted(),
  )
})
