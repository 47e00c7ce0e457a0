import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSingleFlights, keptRead, singleFlight } from '../../src/async/singleFlight.ts'

test('callers that come while a run is under way share it, and a later caller starts another', async () => {
  let runs = 0
  const run = singleFlight(async () => {
    const mine = ++runs
    await sleep(5)
    return mine
  })
  expect(await Promise.all([run(), run(), run()])).toEqual([1, 1, 1])
  expect(await run()).toBe(2)
})

test('a run that fails fails for all that share it, and the next caller tries again', async () => {
  let runs = 0
  const run = singleFlight(async () => {
    if (++runs === 1) throw new Error('away')
    return runs
  })
  const shared = [run(), run()]
  for (const outcome of shared) await expect(outcome).rejects.toThrow('away')
  expect(await run()).toBe(2)
})

test('a caller that must see its own change shares a run that begins after its call', async () => {
  let runs = 0
  const ends: (() => void)[] = []
  const run = singleFlight(() => {
    const mine = ++runs
    return new Promise<number>((resolve) => ends.push(() => resolve(mine)))
  })
  const first = run()
  const later = [run.next(), run.next()]
  ends.shift()?.()
  expect(await first).toBe(1)
  await expect.poll(() => ends.length).toBe(1)
  ends.shift()?.()
  expect(await Promise.all(later)).toEqual([2, 2])
})

test('each key has a run of its own', async () => {
  const flights = createSingleFlights<string>()
  const results = ['a', 'b', 'a'].map((key, i) => flights.run(key, async () => `${key} ${i}`))
  expect(await Promise.all(results)).toEqual(['a 0', 'b 1', 'a 0'])
  expect(await flights.run('a', async () => 'later')).toBe('later')
})

test('a failure can be shared for a while, so that a crowd does not retry at once', async () => {
  const flights = createSingleFlights<string>({ failureKeptMs: 50 })
  let runs = 0
  const fail = async () => {
    runs++
    throw new Error('away')
  }
  await expect(flights.run('a', fail)).rejects.toThrow('away')
  await expect(flights.run('a', fail)).rejects.toThrow('away')
  expect(runs).toBe(1)
  await expect.poll(() => flights.run('a', async () => 'back').catch(() => 'away')).toBe('back')
})

test('a value is read once for a while, however many callers there are, and then again', async () => {
  let reads = 0
  const read = keptRead(50, async () => ++reads)
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  expect(await read()).toBe(1)
  await expect.poll(read).toBe(2)
})

test('a read that fails is not kept, and each key has a value of its own', async () => {
  const reads = createSingleFlights<string>({ keptMs: 1_000 })
  const failing = async () => {
    throw new Error('away')
  }
  await expect(reads.run('a', failing)).rejects.toThrow('away')
  expect(await reads.run('a', async () => 'a')).toBe('a')
  expect(await reads.run('b', async () => 'b')).toBe('b')
})

test('a caller that changed the value has it read again', async () => {
  const reads = createSingleFlights<number>({ keptMs: 1_000 })
  let value = 1
  const read = () => reads.run('a', async () => value)
  expect(await read()).toBe(1)
  value = 2
  expect(await read()).toBe(1)
  reads.forget('a')
  expect(await read()).toBe(2)
})
