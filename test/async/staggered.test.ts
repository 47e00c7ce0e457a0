import { expect, test } from 'vitest'
import { createStaggeredResume } from '../../src/async/staggered.ts'

test('a crowd that waited for the same thing goes on in the order it came, and what else has come is served in between', async () => {
  const turnstile = createStaggeredResume()
  const opening = Promise.withResolvers<void>()
  const gone: number[] = []
  const seen: number[] = []
  const crowd = Array.from({ length: 200 }, async (_, i) => {
    await opening.promise
    await turnstile()
    gone.push(i)
    // As long as an answer takes that is put together for a socket.
    const end = performance.now() + 0.1
    while (performance.now() < end);
  })
  function look() {
    seen.push(gone.length)
    if (gone.length < crowd.length) setImmediate(look)
  }
  opening.resolve()
  setImmediate(look)
  await Promise.all(crowd)
  expect(gone).toEqual(crowd.map((_, i) => i))
  expect(seen.length).toBeGreaterThan(5)
})

test('whoever comes while it is going on goes as well, and so does whoever comes after it', async () => {
  const turnstile = createStaggeredResume()
  await Promise.all([turnstile(), turnstile().then(turnstile)])
  await turnstile()
})
