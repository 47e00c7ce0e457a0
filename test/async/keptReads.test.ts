import { expect, test } from 'vitest'
import { createKeptReads, keptRead } from '../../src/async/keptReads.ts'

test('a value is read once for a while, however many callers there are, and then again', async () => {
  let reads = 0
  const read = keptRead(50, async () => ++reads)
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  expect(await read()).toBe(1)
  await expect.poll(read).toBe(2)
})

test('a read that fails is not kept, and each key has a value of its own', async () => {
  const reads = createKeptReads<string>(1_000)
  const failing = async () => {
    throw new Error('away')
  }
  await expect(reads.read('a', failing)).rejects.toThrow('away')
  expect(await reads.read('a', async () => 'a')).toBe('a')
  expect(await reads.read('b', async () => 'b')).toBe('b')
})

test('a caller that changed the value has it read again', async () => {
  const reads = createKeptReads<number>(1_000)
  let value = 1
  const read = () => reads.read('a', async () => value)
  expect(await read()).toBe(1)
  value = 2
  expect(await read()).toBe(1)
  reads.forget('a')
  expect(await read()).toBe(2)
})
