import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPieces } from '../../src/jobs/pieces.ts'

/** Pieces that run until the test ends them. */
function controlled(limit: number) {
  const started: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const pieces = createPieces(limit)
  return {
    started,
    pieces,
    add: (...subjects: string[]) =>
      pieces.add(
        subjects.map((subject) => ({
          subject,
          run() {
            started.push(subject)
            return new Promise<void>((resolve, reject) => {
              ends.set(subject, (error) => (error ? reject(error) : resolve()))
            })
          },
        })),
      ),
    async end(subject: string, error?: Error) {
      ends.get(subject)?.(error)
      await nextIteration()
    },
  }
}

test('more subjects than places take turns, in the order of their finding', async () => {
  const { started, add, end, pieces } = controlled(2)
  add('a', 'b', 'c', 'd', 'e')
  expect(started).toEqual(['a', 'b'])
  await end('a')
  await end('b')
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  // The next run finds all of them again: e is first, since it waits already.
  expect(add('a', 'b', 'c', 'd', 'e').added).toBe(4)
  for (const subject of ['c', 'd', 'e', 'a', 'b']) await end(subject)
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'd'])
  expect(pieces.running()).toBe(2)
  pieces.stop()
  for (const subject of ['c', 'd']) await end(subject)
})

test('a subject that hangs has one place, however often it is found, and the others go on', async () => {
  const { started, add, end, pieces } = controlled(2)
  add('stuck')
  for (let i = 0; i < 5; i++) {
    add('stuck', 'free')
    expect(pieces.running()).toBe(2)
    await end('free')
  }
  expect(started).toEqual(['stuck', ...Array(5).fill('free')])
  // Found meanwhile, it runs once more.
  await end('stuck')
  expect(started.at(-1)).toBe('stuck')
  expect(started).toHaveLength(7)
  await end('stuck')
  expect(pieces.running()).toBe(0)
})

test('failures are reported when all pieces are done, and stop no other', async () => {
  const { add, end } = controlled(1)
  const { done } = add('a', 'b', 'c')
  const error = new Error('no luck')
  await end('a', error)
  await end('b')
  await end('c', error)
  expect(await done).toEqual([
    { subject: 'a', error },
    { subject: 'c', error },
  ])
})

test('a stop drops the pieces that wait, and leaves those that run', async () => {
  const { started, add, end, pieces } = controlled(1)
  const { done } = add('a', 'b')
  pieces.stop()
  await end('a')
  expect(await done).toEqual([])
  expect(started).toEqual(['a'])
  expect(pieces.running()).toBe(0)
})
