import { expect, test } from 'vitest'
import { createBatchedWork } from '../../src/async/batchedWork.ts'

test('a crowd goes a few at a time, and what else has come is served in between', async () => {
  const turns = createBatchedWork()
  let gone = 0
  const seen: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let i = 0; i < 1_000; i++)
    turns.take(() => {
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

test('who asks twice before the turn comes goes once, and again after it', async () => {
  const turns = createBatchedWork()
  let gone = 0
  const work = () => {
    gone++
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  turns.take(work)
  turns.take(work)
  await turn()
  expect(gone).toBe(1)
  turns.take(work)
  await turn()
  await turn()
  expect(gone).toBe(2)
})

test('who asks while it is going on goes as well', async () => {
  const turns = createBatchedWork()
  const { promise, resolve } = Promise.withResolvers<string>()
  turns.take(() => turns.take(() => resolve('went')))
  expect(await promise).toBe('went')
})
