import { expect, test } from 'vitest'
import { createClock } from '../../../../clients/sdk/transport/clock.ts'

const at = (milliseconds: number) => new Date(milliseconds).toISOString()

test("the clock shows the server's time although the device's clock is wrong", () => {
  let device = 5_000
  const clock = createClock(() => device)
  clock.sync(at(1_000_000))
  device += 30_000
  expect(clock.now()).toBe(1_030_000)
  expect(clock.until(at(1_040_000))).toBe(10_000)
})

test('the clock uses the fastest answer, and a slow answer does not set it back', () => {
  let device = 0
  const clock = createClock(() => device)
  clock.sync(at(999_000)) // a second late
  device = 1_000
  clock.sync(at(1_001_000)) // at once
  device = 3_000
  clock.sync(at(1_000_500)) // two and a half seconds late
  expect(clock.now()).toBe(1_003_000)
})

test('the clock is right again after the device slept and its monotonic clock stopped', () => {
  let device = 0
  const clock = createClock(() => device)
  clock.sync(at(1_000_000))
  device = 10
  clock.sync(at(4_600_000)) // an hour has gone by
  expect(clock.now()).toBe(4_600_000)
})
