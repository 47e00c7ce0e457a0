import { parse } from 'graphql'
import { expect, test } from 'vitest'
import {
  CLASSES,
  type Class,
  classOf,
  createPriority,
  type Limits,
} from '../../../src/server/graphql/priority.ts'

const AMPLE: Limits = { running: 1_000, queued: 1_000, patienceSeconds: 60 }
const all = (limits: Limits) => Object.fromEntries(CLASSES.map((of) => [of, limits])) as Record<Class, Limits>

/** Work that ends when it is told to. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { run: () => promise, end: resolve }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Enough for all that waits here. */
const turns = async () => {
  for (let i = 0; i < 20; i++) await turn()
}

test('when there is room again, those are served first that outlive the others, and browsing and joins by turns', async () => {
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
  await turns()
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

test('no class has more under way than it may, and one that is full keeps nobody else waiting', async () => {
  const priority = createPriority({ limits: { ...all(AMPLE), joins: { ...AMPLE, running: 3 } } })
  let running = 0
  let most = 0
  const join = async () => {
    most = Math.max(most, ++running)
    await turn()
    running--
  }
  const joins = Array.from({ length: 50 }, () => priority.run('joins', join))
  expect(await priority.run('browsing', async () => 'read')).toBe('read')
  expect(priority.figures().find(({ of }) => of === 'joins')?.waiting).toBeGreaterThan(0)
  await Promise.all(joins)
  expect(most).toBe(3)
})

test('a hold begins at once in the middle of a flood of joins, each of which takes a while', async () => {
  const priority = createPriority({ limits: all(AMPLE) })
  let joined = 0
  const join = async () => {
    const until = performance.now() + 3
    while (performance.now() < until);
    joined++
  }
  const joins = Array.from({ length: 100 }, () => priority.run('joins', join))
  await turn()
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

test('between two slices of a flood the event loop turns, so that what arrives is read', async () => {
  const priority = createPriority({ limits: all(AMPLE) })
  let turned = 0
  let ended = false
  const count = () => {
    turned++
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  const busy = () => {
    const until = performance.now() + 3
    while (performance.now() < until);
  }
  // It takes all that this turn has: the others wait for theirs.
  const first = priority.run('joins', async () => busy())
  const join = async () => {
    await null
    busy()
  }
  await Promise.all([first, ...Array.from({ length: 60 }, () => priority.run('joins', join))])
  ended = true
  // Each takes longer than a slice, in which eight are served all the same.
  expect(turned).toBeGreaterThanOrEqual(6)
})

test('where a queue is full or stands still, whoever comes is told OVERLOADED with a time to come back, and nothing is begun', async () => {
  let seconds = 0
  const refused: Class[] = []
  const priority = createPriority({
    limits: { ...all(AMPLE), joins: { running: 1, queued: 2, patienceSeconds: 10 } },
    onRefused: (of) => refused.push(of),
    now: () => seconds * 1_000,
  })
  const first = work()
  const begun: number[] = []
  const join = (no: number) =>
    priority.run('joins', async () => {
      begun.push(no)
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
  expect(begun).toEqual([1, 3])
  await join(5)
  expect(begun).toEqual([1, 3, 5])
})

test('those who are refused together are told different times', async () => {
  const priority = createPriority({ limits: all({ running: 0, queued: 0, patienceSeconds: 60 }) })
  const times = await Promise.all(
    Array.from({ length: 20 }, () =>
      priority.run('joins', turn).catch(({ extensions }) => extensions.retryAfterSeconds),
    ),
  )
  expect(new Set(times).size).toBeGreaterThan(10)
  for (const time of times) expect(time).toBeGreaterThanOrEqual(30)
})

test('work that fails gives its turn back', async () => {
  const priority = createPriority({ limits: all({ ...AMPLE, running: 1 }) })
  const failing = priority.run('maps', () => Promise.reject(new Error('no')))
  const next = priority.run('maps', async () => 'map')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('map')
})

test('work that is done at once, or fails at once, has given its turn back when it answers', async () => {
  const priority = createPriority({ limits: all({ ...AMPLE, running: 1 }) })
  const underWay = () => priority.figures().map((lane) => lane.underWay)
  const failing = priority.run('maps', () => {
    throw new Error('no')
  })
  const done = Array.from({ length: 20 }, (_, i) => priority.run('maps', () => i))
  await expect(failing).rejects.toThrow('no')
  expect(await Promise.all(done)).toEqual(Array.from({ length: 20 }, (_, i) => i))
  expect(underWay()).toEqual(CLASSES.map(() => 0))
})

test('the class of an operation is told by its root fields, and by the least urgent of several', () => {
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
