import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSharedReads } from '../../src/async/sharedReads.ts'

/** Reads that end when the test ends them. */
function slowReads() {
  const shared = createSharedReads<number>()
  const ends: (() => void)[] = []
  let began = 0
  const read = () => {
    const mine = ++began
    return new Promise<number>((resolve) => ends.push(() => resolve(mine)))
  }
  return {
    ask: (key = 'a') => shared.read(key, read),
    async end() {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
    began: () => began,
  }
}

test('callers that come while a read runs share the next one, which begins after that', async () => {
  const { ask, end, began } = slowReads()
  const first = ask()
  const later = [ask(), ask(), ask()]
  expect(began()).toBe(1)
  await end()
  expect(await first).toBe(1)
  expect(began()).toBe(2)
  const last = ask()
  await end()
  expect(await Promise.all(later)).toEqual([2, 2, 2])
  await end()
  expect(await last).toBe(3)
  expect(began()).toBe(3)
})

test('each key has reads of its own, and no value is kept', async () => {
  const { ask, end, began } = slowReads()
  const both = [ask('a'), ask('b')]
  expect(began()).toBe(2)
  await end()
  await end()
  expect(await Promise.all(both)).toEqual([1, 2])
  const again = ask('a')
  await end()
  expect(await again).toBe(3)
})

test('after an expensive read the next one waits for twice its time, and all callers of that time share it', async () => {
  const shared = createSharedReads<number>(1_000)
  let began = 0
  let endedAt = 0
  const startedAfter: number[] = []
  const read = async () => {
    startedAfter.push(performance.now() - endedAt)
    began++
    await sleep(20)
    endedAt = performance.now()
    return began
  }
  const first = shared.read('a', read)
  const second = shared.read('a', read)
  expect(await first).toBe(1)
  const third = shared.read('a', read)
  expect(began).toBe(1)
  expect(await Promise.all([second, third])).toEqual([2, 2])
  // A timer may be a millisecond early.
  expect(startedAfter[1]).toBeGreaterThan(37)
})

test('a read that fails fails for the callers that share it, and not for later ones', async () => {
  const shared = createSharedReads<number>()
  let tries = 0
  const read = async () => {
    if (++tries === 1) throw new Error('away')
    return tries
  }
  const first = shared.read('a', read)
  const second = shared.read('a', read)
  await expect(first).rejects.toThrow('away')
  expect(await second).toBe(2)
  expect(await shared.read('a', read)).toBe(3)
})
