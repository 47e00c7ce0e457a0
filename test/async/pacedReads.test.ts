import { expect, test } from 'vitest'
import { createPacedReads } from '../../src/async/pacedReads.ts'

test('callers that come during a read or its rest share one further read, which begins after the rest', async () => {
  const paced = createPacedReads<number>(30)
  const startedAt: number[] = []
  let endedAt = 0
  const read = async () => {
    startedAt.push(performance.now() - endedAt)
    await new Promise((resolve) => setImmediate(resolve))
    endedAt = performance.now()
    return startedAt.length
  }
  const during = [paced.read('a', read), paced.read('a', read), paced.read('a', read)]
  expect(await during[0]).toBe(1)
  const resting = [paced.read('a', read), paced.read('a', read)]
  expect(startedAt.length).toBe(1)
  expect(await Promise.all([...during, ...resting])).toEqual([1, 2, 2, 2, 2])
  // A timer may be a millisecond early.
  expect(startedAt[1]).toBeGreaterThan(28)
})

test('each key has reads of its own, and a read that fails is followed by another', async () => {
  const paced = createPacedReads<number>(10)
  let tries = 0
  const read = async () => {
    if (++tries === 1) throw new Error('away')
    return tries
  }
  await expect(paced.read('a', read)).rejects.toThrow('away')
  expect(await paced.read('b', read)).toBe(2)
  expect(await paced.read('a', read)).toBe(3)
})
