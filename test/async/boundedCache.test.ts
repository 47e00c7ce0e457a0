import { expect, test } from 'vitest'
import { createBoundedCache } from '../../src/async/boundedCache.ts'

test('the cache keeps the entries that were used last, and at most twice as many', () => {
  const cache = createBoundedCache<number, string>(10)
  for (let i = 0; i < 100; i++) {
    cache.set(i, `value ${i}`)
    cache.get(0)
  }
  expect(cache.get(0)).toBe('value 0')
  for (let i = 91; i < 100; i++) expect(cache.get(i)).toBe(`value ${i}`)
  expect(cache.get(50)).toBeUndefined()
  expect([...cache.values()].length).toBeLessThanOrEqual(20)
})

test('an entry has the value that was set last, and is gone once it was deleted', () => {
  const cache = createBoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  expect(cache.get('a')).toBe(3)
  expect([...cache.values()].sort()).toEqual([2, 3])
  cache.set('c', 4)
  cache.set('a', 5)
  cache.delete('a')
  expect(cache.get('a')).toBeUndefined()
  expect([...cache.values()]).not.toContain(3)
})

test('a value in use stays, however many others come, and goes once it is not in use', () => {
  const inUse = new Set([0, 1, 2, 3, 4])
  const cache = createBoundedCache<number, number>(2, (value) => inUse.has(value))
  for (let i = 0; i < 100; i++) cache.set(i, i)
  for (const i of inUse) expect(cache.get(i)).toBe(i)
  expect([...cache.values()].length).toBeLessThanOrEqual(inUse.size + 4)
  inUse.clear()
  for (let i = 100; i < 200; i++) cache.set(i, i)
  expect(cache.get(0)).toBeUndefined()
  expect([...cache.values()].length).toBeLessThanOrEqual(4)
})

test('a value in use that was replaced does not come back', () => {
  const cache = createBoundedCache<string, { name: string }>(1, () => true)
  cache.set('a', { name: 'old' })
  cache.set('b', { name: 'b' })
  cache.set('a', { name: 'new' })
  for (let i = 0; i < 10; i++) cache.set(`${i}`, { name: 'other' })
  expect(cache.get('a')).toEqual({ name: 'new' })
})
