import { expect, test } from 'vitest'
import { commitmentOf, placesOf } from '../../../clients/cli/places.ts'
import { DRAW_VECTORS, digestOf, example } from '../../support/drawVectors.ts'

test.each(DRAW_VECTORS)('the vector of $eventId', ({ first, digest, commitment, ...draw }) => {
  const places = placesOf(draw)
  expect(places.slice(0, first.length)).toEqual(first)
  expect(digestOf(places)).toBe(digest)
  expect(commitmentOf(draw.seed)).toBe(commitment)
})

test('the example for Node in docs/draw.md gives the vectors too, in some twenty lines', async () => {
  const code = example('js')
  const { places } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  for (const { seed, eventId, size, beacon, digest } of DRAW_VECTORS)
    expect(digestOf(places(seed, eventId, size, beacon))).toBe(digest)
  expect(code.trim().split('\n').length).toBeLessThan(25)
})
