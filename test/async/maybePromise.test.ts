import { expect, test } from 'vitest'
import { andThen, attempt } from '../../src/async/maybePromise.ts'

test('what follows a value that is there happens at once', async () => {
  expect(andThen(1, (value) => value + 1)).toBe(2)
  expect(await andThen(Promise.resolve(1), (value) => value + 1)).toBe(2)
  expect(await andThen(1, async (value) => value + 1)).toBe(2)
})

test('an error that is thrown at once is a rejection, as any other', async () => {
  expect(attempt(() => 1)).toBe(1)
  const failed = attempt(() => {
    throw new Error('refused')
  })
  await expect(failed).rejects.toThrow('refused')
})
