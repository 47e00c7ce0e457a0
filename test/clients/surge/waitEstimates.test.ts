import { expect, test } from 'vitest'
import { startWait } from '../../../clients/surge/waitEstimates.ts'

/** A wait whose clock the test sets, in seconds. */
function wait() {
  let now = 0
  const begun = startWait(() => now * 1_000)
  return {
    at(seconds: number, estimate: number | null) {
      now = seconds
      begun.update(estimate)
    },
    end(seconds: number, admitted = true) {
      now = seconds
      return begun.end(admitted)
    },
  }
}

test('the estimate at half-way, counted down, is compared with the remaining wait', () => {
  const { at, end } = wait()
  at(0, null)
  at(2, 50)
  at(16, 30)
  at(25, 17)
  expect(end(40)).toEqual({ first: { estimated: 50, waited: 38 }, halfway: { estimated: 26, waited: 20 } })
})

test('an estimate that ended before half-way counts as zero seconds', () => {
  const { at, end } = wait()
  at(0, 5)
  expect(end(40).halfway).toEqual({ estimated: 0, waited: 20 })
})

test('a missing estimate at half-way is recorded', () => {
  const { at, end } = wait()
  at(0, 9)
  at(10, null)
  at(21, 9)
  expect(end(40).halfway).toEqual({ estimated: null, waited: 20 })
})

test('a wait without admission, or a short wait, is not judged', () => {
  const inVain = wait()
  inVain.at(0, 30)
  expect(inVain.end(40, false)).toEqual({ first: { estimated: 30, waited: null }, halfway: null })
  const short = wait()
  short.at(0, 5)
  expect(short.end(9).halfway).toBeNull()
  expect(wait().end(40)).toEqual({ first: null, halfway: { estimated: null, waited: 20 } })
})
