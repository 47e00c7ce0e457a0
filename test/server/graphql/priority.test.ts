import { parse } from 'graphql'
import { expect, test } from 'vitest'
import {
  CLASSES,
  type Class,
  classOf,
  createPriority,
  type Limits,
} from '../../../src/server/graphql/priority.ts'

const AMPLE: Limits = { running: 1_000, mostWaiting: 1_000, patienceSeconds: 60 }
const all = (limits: Limits) => Object.fromEntries(CLASSES.map((of) => [of, limits])) as Record<Class, Limits>

/** Work that the test ends. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { run: () => promise, end: resolve }
}

const round = () => new Promise((resolve) => setImmediate(resolve))
/** Enough rounds of the event loop for everything here. */
const rounds = async () => {
  for (let i = 0; i < 20; i++) await round()
}

test('free slots go to the most urgent class first; browsing and joins alternate', async () => {
  const priority = createPriority({ limits: all({ ...AMPLE, running: 2 }) })
  const under = [...CLASSES, ...CLASSES].map((of) => ({ of, ...work() }))
  const done = under.map(({ of, run }) => priority.run(of, run))
  const order: string[] = []
  const queue = (of: Class) =>
    Promise.all(
      [1, 2].map((no) =>
        priority.run(of, async () => {
          order.push(`${of} ${no}`)
        }),
      ),
    )
  const queued = [...CLASSES].reverse().map(queue)
  await rounds()
  expect(order).toEqual([])
  expect(priority.figures().map(({ underWay, waiting }) => [underWay, waiting])).toEqual(
    CLASSES.map(() => [2, 2]),
  )
  for (const { end } of under) end()
  await Promise.all([...done, ...queued])
  expect(order).toEqual([
    'checkout 1',
    'checkout 2',
    'holds 1',
    'holds 2',
    'maps 1',
    'maps 2',
    'browsing 1',
    'joins 1',
    'browsing 2',
    'joins 2',
  ])
  expect(priority.figures().every(({ underWay, waiting }) => underWay === 0 && waiting === 0)).toBe(true)
})

test('no class exceeds its limit, and a full class delays no other class', async () => {
  const priority = createPriority({ limits: { ...all(AMPLE), joins: { ...AMPLE, running: 3 } } })
  let running = 0
  let most = 0
  const join = async () => {
    most = Math.max(most, ++running)
    await round()
    running--
  }
  const joins = Array.from({ length: 50 }, () => priority.run('joins', join))
  expect(await priority.run('browsing', async () => 'read')).toBe('read')
  expect(priority.figures().find((share) => share.class === 'joins')?.waiting).toBeGreaterThan(0)
  await Promise.all(joins)
  expect(most).toBe(3)
})

test('a hold begins at once in the middle of a flood of slow joins', async () => {
  const priority = createPriority({ limits: all(AMPLE) })
  let joined = 0
  const join = async () => {
    const until = performance.now() + 3
    while (performance.now() < until);
    joined++
  }
  const joins = Array.from({ length: 100 }, () => priority.run('joins', join))
  await round()
  let joinedAtHold = -1
  const hold = priority.run('holds', async () => {
    joinedAtHold = joined
  })
  const before = joined
  await hold
  expect(joinedAtHold).toBe(before)
  expect(before).toBeLessThan(100)
  await Promise.all(joins)
  expect(joined).toBe(100)
})

test('the process reads new requests in the middle of a flood', async () => {
  const priority = createPriority({ limits: all(AMPLE) })
  let rounds = 0
  let ended = false
  const count = () => {
    rounds++
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  const busy = () => {
    const until = performance.now() + 3
    while (performance.now() < until);
  }
  // It fills this slice: the others wait for the next ones.
  const first = priority.run('joins', async () => busy())
  const join = async () => {
    await null
    busy()
  }
  await Promise.all([first, ...Array.from({ length: 60 }, () => priority.run('joins', join))])
  ended = true
  // Each takes longer than a slice, and a slice still serves eight.
  expect(rounds).toBeGreaterThanOrEqual(6)
})

test('a full or stalled class refuses an operation with OVERLOADED and a time to retry; the operation does not begin', async () => {
  let seconds = 0
  const refused: Class[] = []
  const priority = createPriority({
    limits: { ...all(AMPLE), joins: { running: 1, mostWaiting: 2, patienceSeconds: 10 } },
    onRefused: (of) => refused.push(of),
    now: () => seconds * 1_000,
  })
  const first = work()
  const started: number[] = []
  const join = (no: number) =>
    priority.run('joins', async () => {
      started.push(no)
    })
  const done = [priority.run('joins', first.run), join(1)]
  const isOverloaded = { code: 'OVERLOADED', extensions: { retryAfterSeconds: expect.any(Number) } }
  seconds = 11
  await expect(join(2)).rejects.toMatchObject(isOverloaded)
  seconds = 10
  done.push(join(3))
  await expect(join(4)).rejects.toMatchObject(isOverloaded)
  expect(refused).toEqual(['joins', 'joins'])
  first.end()
  await Promise.all(done)
  expect(started).toEqual([1, 3])
  await join(5)
  expect(started).toEqual([1, 3, 5])
})

/** Forty events of a class, with the crowd of all at the first of them. */
const CROWD = 3_000
const EVENTS = Array.from({ length: 40 }, (_, i) => `evt_${i}`)
const [CROWDED, ...SMALL] = EVENTS as [string, ...string[]]

test('forty events, one under a crowd: each of the other 39 waits for at most one operation of each other event', async () => {
  const priority = createPriority({ limits: all({ running: 20, mostWaiting: 2_000, patienceSeconds: 2 }) })
  const order: string[] = []
  const refused: string[] = []
  const hold = (event: string) =>
    priority.run('holds', async () => void order.push(event), event).catch(() => void refused.push(event))
  const done = Array.from({ length: CROWD }, () => hold(CROWDED))
  for (let no = 0; no < 3; no++) done.push(...SMALL.map(hold))
  await Promise.all(done)
  expect(order.slice(0, 120)).toEqual([...EVENTS, ...EVENTS, ...EVENTS])
  expect(order).toHaveLength(2_020)
  // The places in the backlog that the small events needed came from the end of the crowd's line.
  expect(refused).toEqual(Array(CROWD + 3 * SMALL.length - 2_020).fill(CROWDED))
})

test('the crowd of one event that waits too long refuses nothing of another event', async () => {
  let seconds = 0
  const priority = createPriority({
    limits: all({ running: 1, mostWaiting: 100, patienceSeconds: 2 }),
    now: () => seconds * 1_000,
  })
  const slow = work()
  const done = [priority.run('holds', slow.run, CROWDED), priority.run('holds', round, CROWDED)]
  await round()
  seconds = 3
  await expect(priority.run('holds', round, CROWDED)).rejects.toMatchObject({ code: 'OVERLOADED' })
  done.push(...SMALL.map((event) => priority.run('holds', round, event)))
  slow.end()
  await Promise.all(done)
})

test('ids that were made up share one line, and it gets no more than the share of one event', async () => {
  const priority = createPriority({
    limits: all({ running: 1, mostWaiting: 1_000, patienceSeconds: 2 }),
    isKnown: (event) => event === CROWDED,
  })
  const order: string[] = []
  const hold = (event?: string) => priority.run('holds', async () => void order.push(event ?? 'none'), event)
  const done = Array.from({ length: 500 }, (_, i) => hold(`evt_made${i}`))
  done.push(hold(), hold(CROWDED), hold(CROWDED))
  await Promise.all(done)
  expect(order.slice(0, 4)).toEqual(['evt_made0', CROWDED, 'evt_made1', CROWDED])
})

test('while the crowd of one event waits for a lock in all slots that it may have, an operation of another event begins', async () => {
  const priority = createPriority({ limits: all({ running: 10, mostWaiting: 100, patienceSeconds: 2 }) })
  const locked = work()
  let crowd = 0
  const done = Array.from({ length: 20 }, () =>
    priority.run(
      'holds',
      () => {
        crowd++
        return locked.run()
      },
      CROWDED,
    ),
  )
  await rounds()
  expect(crowd).toBe(8)
  // Two slots are left. However many events come, each may have one that is free.
  const begun: string[] = []
  for (const event of SMALL.slice(0, 2))
    done.push(priority.run('holds', async () => void begun.push(event), event))
  await rounds()
  expect(begun).toEqual(SMALL.slice(0, 2))
  locked.end()
  await Promise.all(done)
  expect(crowd).toBe(20)
})

test('in a process that meets its events for the first time, each of them soon has a line of its own', async () => {
  const known = new Set<string>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const looked: string[] = []
  const priority = createPriority({
    limits: all({ running: 1, mostWaiting: 1_000, patienceSeconds: 2 }),
    isKnown: (event) => known.has(event),
    async lookFor(event) {
      looked.push(event)
      await promise
      if (event.startsWith('evt_made')) return false
      known.add(event)
      return true
    },
  })
  const slow = work()
  const order: string[] = []
  const hold = (event: string) => priority.run('holds', async () => void order.push(event), event)
  const done = [priority.run('holds', slow.run), ...Array.from({ length: 50 }, () => hold(CROWDED))]
  await rounds()
  const [quiet = '', later = ''] = SMALL
  done.push(hold('evt_made1'), hold(quiet), hold(quiet))
  await rounds()
  resolve()
  await rounds()
  done.push(hold(later))
  slow.end()
  await Promise.all(done)
  expect(looked).toEqual([CROWDED, 'evt_made1', quiet, later])
  expect(order.slice(0, 4).sort()).toEqual([CROWDED, 'evt_made1', quiet, later].sort())
})

test('operations that are refused together get different times to retry', async () => {
  const priority = createPriority({ limits: all({ running: 0, mostWaiting: 0, patienceSeconds: 60 }) })
  const times = await Promise.all(
    Array.from({ length: 20 }, () =>
      priority.run('joins', round).catch(({ extensions }) => extensions.retryAfterSeconds),
    ),
  )
  expect(new Set(times).size).toBeGreaterThan(10)
  for (const time of times) expect(time).toBeGreaterThanOrEqual(30)
})

test('work that fails frees its slot', async () => {
  const priority = createPriority({ limits: all({ ...AMPLE, running: 1 }) })
  const failing = priority.run('maps', () => Promise.reject(new Error('no')))
  const next = priority.run('maps', async () => 'map')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('map')
})

test('work without a promise frees its slot before it answers, also where it fails', async () => {
  const priority = createPriority({ limits: all({ ...AMPLE, running: 1 }) })
  const underWay = () => priority.figures().map(({ underWay }) => underWay)
  const failing = priority.run('maps', () => {
    throw new Error('no')
  })
  const done = Array.from({ length: 20 }, (_, i) => priority.run('maps', () => i))
  await expect(failing).rejects.toThrow('no')
  expect(await Promise.all(done)).toEqual(Array.from({ length: 20 }, (_, i) => i))
  expect(underWay()).toEqual(CLASSES.map(() => 0))
})

test('the class of an operation is the least urgent class of its root fields', () => {
  const of = (text: string, name?: string) => classOf(parse(text), name)
  expect(of('mutation { checkout(input: {}) { __typename } }')).toBe('checkout')
  expect(of('mutation { alias: hold(input: {}) { __typename } }')).toBe('holds')
  expect(of('mutation { joinQueue(input: {}) { __typename } }')).toBe('joins')
  expect(of('{ queuePosition(queueToken: "") { place } }')).toBe('maps')
  expect(of('{ hold(id: 1) { id } event(id: 1) { id } }')).toBe('maps')
  expect(of('{ event(id: 1) { id } events { edges { cursor } } }')).toBe('browsing')
  expect(of('mutation { setAdmission(input: {}) { paused } }')).toBe('checkout')
  // No query is as urgent as the mutation of its name.
  expect(of('{ hold(id: 1) { id } }')).toBe('maps')
  expect(of('subscription { queuePosition(queueToken: "") { place } }')).toBe('maps')
  expect(of('mutation ($i: Int) { ...F } fragment F on Mutation { hold(input: {}) { __typename } }')).toBe(
    'browsing',
  )
  const two =
    'mutation A { hold(input: {}) { __typename } } mutation B { joinQueue(input: {}) { __typename } }'
  expect([of(two, 'A'), of(two, 'B'), of(two)]).toEqual(['holds', 'joins', 'browsing'])
  expect(classOf(null)).toBe('browsing')
})
