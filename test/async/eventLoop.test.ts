import { expect, test } from 'vitest'
import { createBatchedWork, createStaggeredResume, runInSlices } from '../../src/async/eventLoop.ts'

test('a crowd that waited for one thing goes on in its order, and other requests are served in between', async () => {
  const resume = createStaggeredResume()
  const opening = Promise.withResolvers<void>()
  const gone: number[] = []
  const seen: number[] = []
  const crowd = Array.from({ length: 200 }, async (_, i) => {
    await opening.promise
    await resume()
    gone.push(i)
    // As long as an answer takes that is put together for a socket.
    const end = performance.now() + 0.1
    while (performance.now() < end);
  })
  function look() {
    seen.push(gone.length)
    if (gone.length < crowd.length) setImmediate(look)
  }
  opening.resolve()
  setImmediate(look)
  await Promise.all(crowd)
  expect(gone).toEqual(crowd.map((_, i) => i))
  expect(seen.length).toBeGreaterThan(5)
})

test('a member that comes while the others go on, goes on as well, and so does a later one', async () => {
  const resume = createStaggeredResume()
  await Promise.all([resume(), resume().then(resume)])
  await resume()
})

test('scheduled work runs a few pieces at a time, and other requests are served in between', async () => {
  const batches = createBatchedWork()
  let gone = 0
  const seen: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let i = 0; i < 1_000; i++)
    batches.schedule('a', () => {
      gone++
      if (gone === 1_000) resolve()
    })
  expect(gone).toBe(0)
  const look = () => {
    seen.push(gone)
    if (gone < 1_000) setImmediate(look)
  }
  setImmediate(look)
  await promise
  expect(seen.length).toBeGreaterThan(10)
  for (const [i, count] of seen.entries()) expect(count - (seen[i - 1] ?? 0)).toBeLessThanOrEqual(50)
})

test('work that is scheduled twice before it runs, runs once, and again when it is scheduled later', async () => {
  const batches = createBatchedWork()
  let gone = 0
  const work = () => {
    gone++
  }
  const nextPass = () => new Promise((resolve) => setImmediate(resolve))
  batches.schedule('a', work)
  batches.schedule('a', work)
  await nextPass()
  expect(gone).toBe(1)
  batches.schedule('a', work)
  await nextPass()
  await nextPass()
  expect(gone).toBe(2)
})

test('the work of one key does not wait for all the work of another key', async () => {
  const batches = createBatchedWork()
  const gone: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let i = 0; i < 1_000; i++) batches.schedule('crowd', () => void gone.push('crowd'))
  batches.schedule('other', () => {
    gone.push('other')
    resolve()
  })
  await promise
  expect(gone.indexOf('other')).toBe(1)
})

test('work that is scheduled while other work runs, runs as well', async () => {
  const batches = createBatchedWork()
  const { promise, resolve } = Promise.withResolvers<string>()
  batches.schedule('a', () => batches.schedule('a', () => resolve('went')))
  expect(await promise).toBe('went')
})

test('steps run until there are none, in slices between which other requests are served', async () => {
  let left = 100
  const seen: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  function look() {
    seen.push(left)
    if (left > 0) setImmediate(look)
    else resolve()
  }
  setImmediate(look)
  runInSlices(() => {
    // As long as a request takes.
    const end = performance.now() + 0.1
    while (performance.now() < end);
    return --left > 0
  })
  await promise
  expect(seen.length).toBeGreaterThan(2)
  expect(left).toBe(0)
})
