import { expect, test } from 'vitest'
import { liveValue } from '../../src/async/liveValue.ts'

function source(backstopMs = 60_000) {
  const wakes = new Set<() => void>()
  let value: number | undefined = 1
  const values = liveValue<number>({
    listen(wake) {
      wakes.add(wake)
      return () => wakes.delete(wake)
    },
    read: async () => value,
    isLast: (last) => last === 9,
    backstopMs,
  })
  return {
    values,
    listeners: () => wakes.size,
    change(next: number | undefined, isHeard = true) {
      value = next
      if (isHeard) for (const wake of wakes) wake()
    },
  }
}

test('a subscriber gets the current value, then the latest one after each change', async () => {
  const { values, change } = source()
  expect(await values.next()).toEqual({ done: false, value: 1 })
  change(2)
  change(3)
  expect(await values.next()).toEqual({ done: false, value: 3 })
  const next = values.next()
  change(undefined)
  change(4)
  expect(await next).toEqual({ done: false, value: 4 })
})

test('the subscription ends after the last value, and stops listening', async () => {
  const { values, change, listeners } = source()
  await values.next()
  change(9)
  expect(await values.next()).toEqual({ done: false, value: 9 })
  expect(listeners()).toBe(0)
  expect(await values.next()).toEqual({ done: true, value: undefined })
})

test('a subscriber that leaves while it waits stops listening at once', async () => {
  const { values, listeners } = source()
  await values.next()
  const next = values.next()
  await values.return?.()
  expect(listeners()).toBe(0)
  expect(await next).toEqual({ done: true, value: undefined })
})

test('a change whose message was lost arrives with the backstop', async () => {
  const { values, change } = source(20)
  await values.next()
  change(5, false)
  expect(await values.next()).toEqual({ done: false, value: 5 })
})
