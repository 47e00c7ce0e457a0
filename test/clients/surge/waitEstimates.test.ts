import { expect, test } from 'vitest'
import { startWait } from '../../../clients/surge/waitEstimates.ts'

/** A wait by a clock that is set by hand, in seconds. */
function wait() {
  let now = 0
  const begun = startWait(() => now * 1_000)
  return {
    at(seconds: number, told: number | null) {
      now = seconds
      begun.hear(told)
    },
    end(seconds: number, cameIn = true) {
      now = seconds
      return begun.end(cameIn)
    },
  }
}

test('the estimate that stood at half-way, counted down since, is held against what was left', () => {
  const { at, end } = wait()
  at(0, null)
  at(2, 50)
  at(16, 30)
  at(25, 17)
  expect(end(40)).toEqual({ first: { told: 50, waited: 38 }, halfway: { told: 26, waited: 20 } })
})

test('an estimate that ran out before half-way says that nothing is left', () => {
  const { at, end } = wait()
  at(0, 5)
  expect(end(40).halfway).toEqual({ told: 0, waited: 20 })
})

test('that no estimate stood at half-way is kept as well', () => {
  const { at, end } = wait()
  at(0, 9)
  at(10, null)
  at(21, 9)
  expect(end(40).halfway).toEqual({ told: null, waited: 20 })
})

test('where the turn never came, or came at once, there is nothing to judge', () => {
  const inVain = wait()
  inVain.at(0, 30)
  expect(inVain.end(40, false)).toEqual({ first: { told: 30, waited: null }, halfway: null })
  const short = wait()
  short.at(0, 5)
  expect(short.end(9).halfway).toBeNull()
  expect(wait().end(40)).toEqual({ first: null, halfway: { told: null, waited: 20 } })
})
