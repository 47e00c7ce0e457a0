import { expect, test, vi } from 'vitest'
import { firstOf } from '../../../../clients/sdk/transport/firstOf.ts'

/** A watch whose values the test sends. */
function watched() {
  const stop = vi.fn()
  let next = (_value: number) => {}
  let failed = (_error: unknown) => {}
  const watch = vi.fn((onNext: typeof next, onFailed: typeof failed) => {
    next = onNext
    failed = onFailed
    return stop
  })
  return { watch, stop, next: (value: number) => next(value), failed: (error: unknown) => failed(error) }
}
const even = (value: number) => (value % 2 === 0 ? `${value}!` : undefined)

test('the first value that is picked is returned, and the watch ends', async () => {
  const { watch, stop, next } = watched()
  const found = firstOf(watch, even)
  for (const value of [1, 3]) next(value)
  expect(stop).not.toHaveBeenCalled()
  next(4)
  expect(await found).toBe('4!')
  expect(stop).toHaveBeenCalledOnce()
})

test('a watch that fails rejects with its error', async () => {
  const { watch, failed } = watched()
  const found = firstOf(watch, even)
  failed(new Error('refused'))
  await expect(found).rejects.toThrow('refused')
})

test('a signal ends the watch, and one that is aborted already starts none', async () => {
  const { watch, stop } = watched()
  const leave = new AbortController()
  const found = firstOf(watch, even, leave.signal)
  leave.abort(new Error('left'))
  await expect(found).rejects.toThrow('left')
  expect(stop).toHaveBeenCalledOnce()
  await expect(firstOf(watch, even, leave.signal)).rejects.toThrow('left')
  expect(watch).toHaveBeenCalledOnce()
})
