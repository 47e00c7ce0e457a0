import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRepeatFilter } from '../src/repeatedLines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function testLog() {
  const lines: { msg: string; repeated?: number }[] = []
  const isWritten = createRepeatFilter()
  const log = pino(
    {
      hooks: {
        logMethod(args, write) {
          if (isWritten(this, args, write)) write.apply(this, args)
        },
      },
    },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  return { log, lines }
}

test('the same error in a loop is one line a minute, with a count', () => {
  const { log, lines } = testLog()
  for (let i = 0; i < 1_000; i++) log.warn({ err: new Error(`MOVED ${i} 10.0.0.1:6379`) }, 'worker')
  expect(lines).toMatchObject([{ msg: 'worker' }])
  vi.advanceTimersByTime(60_000)
  expect(lines).toMatchObject([{ msg: 'worker' }, { msg: 'worker', repeated: 999 }])
  for (let i = 0; i < 5; i++) log.warn({ err: new Error('MOVED 7 10.0.0.1:6379') }, 'worker')
  expect(lines).toHaveLength(2)
  vi.advanceTimersByTime(60_000)
  expect(lines[2]).toMatchObject({ repeated: 5 })
  // After a minute of silence it is news again.
  vi.advanceTimersByTime(120_000)
  log.warn({ err: new Error('MOVED 7 10.0.0.1:6379') }, 'worker')
  expect(lines).toHaveLength(4)
  expect(lines[3]).not.toHaveProperty('repeated')
})

test('other errors, other requests and other jobs keep lines of their own, and so do lines without an error', () => {
  const { log, lines } = testLog()
  const err = new Error('no answer')
  log.warn({ err }, 'a')
  log.warn({ err: new Error('another') }, 'a')
  log.warn({ err, requestId: 'r1' }, 'a')
  log.warn({ err, requestId: 'r2' }, 'a')
  log.child({ job: 'relayOutbox' }).warn({ err }, 'a')
  log.warn({ err }, 'b')
  log.warn(err)
  for (let i = 0; i < 3; i++) log.warn('the rate changed')
  expect(lines).toHaveLength(10)
})
