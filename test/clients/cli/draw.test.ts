import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commitmentOf, placesOf } from '../../../clients/cli/draw.ts'
import { DRAW_VECTORS, digestOf, example } from '../../support/drawVectors.ts'

test.each(DRAW_VECTORS)(
  'the test vector of $eventId gives its places',
  ({ first, digest, commitment, ...draw }) => {
    const places = placesOf(draw)
    expect(places.slice(0, first.length)).toEqual(first)
    expect(digestOf(places)).toBe(digest)
    expect(commitmentOf(draw.seed)).toBe(commitment)
  },
)

test('the example for Node in docs/draw.md gives the same places in about twenty lines', async () => {
  const code = example('js')
  const { places } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  for (const { seed, eventId, size, beacon, digest } of DRAW_VECTORS)
    expect(digestOf(places(seed, eventId, size, beacon))).toBe(digest)
  expect(code.trim().split('\n').length).toBeLessThan(25)
})

const hasPython = spawnSync('python3', ['--version']).status === 0

/** A developer's machine may lack Python. The CI machine must have it: there the test fails without it. */
test.runIf(hasPython || process.env.CI)(
  'the example for Python in docs/draw.md gives the same places',
  () => {
    const code = example('python')
    const check = `${code}
import json, sys
for seed, event, size, beacon in json.load(sys.stdin):
    print(hashlib.sha256(" ".join(map(str, places(seed, event, size, beacon))).encode()).hexdigest())`
    const input = JSON.stringify(
      DRAW_VECTORS.map(({ seed, eventId, size, beacon }) => [seed, eventId, size, beacon]),
    )
    const digests = execFileSync('python3', ['-c', check], { input, encoding: 'utf8' }).trim().split('\n')
    expect(digests).toEqual(DRAW_VECTORS.map(({ digest }) => digest))
    expect(code.trim().split('\n').length).toBeLessThan(25)
  },
)
