import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { drawPlaces } from '../../../src/sale/draw/draw.ts'
import { drawnPlaces } from '../../../src/sale/draw/drawnPlaces.ts'
import { DRAW_VECTORS, digestOf } from '../../support/drawVectors.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const seedNo = (i: number) => sha256(`the draw's test ${i}`)

test.each(DRAW_VECTORS)('the vector of $eventId', ({ first, digest, ...draw }) => {
  const places = drawPlaces(draw)
  expect([...places.slice(0, first.length)]).toEqual(first)
  expect(digestOf(places)).toBe(digest)
})

test.each([0, 1, 2, 3, 1_000, 2_000_000])(
  'of %i everybody has one place, and every place is somebody’s',
  (size) => {
    const places = drawPlaces({ eventId: 'evt_test', seed: seedNo(1), size, beacon: '' })
    expect(places.length).toBe(size)
    const seen = new Uint8Array(size + 1)
    for (const place of places) seen[place] = (seen[place] ?? 0) + 1
    expect(seen.subarray(1).every((count) => count === 1)).toBe(true)
  },
)

test('event, seed, size and beacon each give another draw', () => {
  const draw = { eventId: 'evt_a', seed: seedNo(1), size: 50, beacon: '' }
  const others = [
    draw,
    { ...draw, eventId: 'evt_b' },
    { ...draw, seed: seedNo(2) },
    { ...draw, size: 51 },
    { ...draw, beacon: 'x' },
  ]
  expect(new Set(others.map((other) => drawPlaces(other).slice(0, 50).join())).size).toBe(5)
})

test('the thread gives the same places, and the loop that waits for it goes on', async () => {
  const draw = { eventId: 'evt_test', seed: seedNo(3), size: 300_000, beacon: 'b' }
  let turns = 0
  const turning = setInterval(() => turns++, 1)
  const places = await drawnPlaces(draw)
  clearInterval(turning)
  expect(digestOf(places)).toBe(digestOf(drawPlaces(draw)))
  // Where the draw is made on this thread, there is no turn in between.
  expect(turns).toBeGreaterThan(2)
})

test.runIf(process.platform === 'linux')('the thread leaves a scarce core to those that serve', async () => {
  const before = niceness()
  let ended = false
  const drawing = drawnPlaces({ eventId: 'evt_test', seed: seedNo(4), size: 1_000_000, beacon: '' })
  void drawing.finally(() => {
    ended = true
  })
  while (Math.max(...niceness()) <= Math.max(...before) && !ended) await sleep(1)
  expect(ended).toBe(false)
  await drawing
})

/** Of each thread of this process. */
function niceness(): number[] {
  return readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))
}

describe('over many seeds, always the same ones', () => {
  /**
   * The value that a chi-square of so many degrees passes once in 10,000 times, and the one it falls short of as
   * often: Wilson and Hilferty's approximation, good to a percent from ten degrees on.
   */
  function bounds(degrees: number): [number, number] {
    const at = (z: number) => degrees * (1 - 2 / (9 * degrees) + z * Math.sqrt(2 / (9 * degrees))) ** 3
    return [at(-3.719), at(3.719)]
  }

  function expectWithin(what: string, statistic: number, degrees: number) {
    const [low, high] = bounds(degrees)
    process.stdout.write(`${what}: chi-square ${statistic.toFixed(1)} of ${degrees} degrees\n`)
    expect(statistic).toBeGreaterThan(low)
    expect(statistic).toBeLessThan(high)
  }

  test.each([7, 10])('each of %i arrivals has each place as often', (size) => {
    const SEEDS = 20_000
    const counts = new Uint32Array(size * size)
    for (let i = 0; i < SEEDS; i++) {
      const places = drawPlaces({ eventId: 'evt_test', seed: seedNo(i), size, beacon: '' })
      for (let arrival = 0; arrival < size; arrival++) {
        const cell = arrival * size + (places[arrival] as number) - 1
        counts[cell] = (counts[cell] ?? 0) + 1
      }
    }
    const expected = SEEDS / size
    const sum = counts.reduce((total, count) => total + (count - expected) ** 2 / expected, 0)
    // Rows and columns of a permutation add up to one, which leaves (size - 1)² degrees, and this factor.
    expectWithin(`places of ${size}`, (sum * (size - 1)) / size, (size - 1) ** 2)
  })

  test('all 120 orders of five come up as often', () => {
    const SEEDS = 24_000
    const counts = new Map<string, number>()
    for (let i = 0; i < SEEDS; i++) {
      const order = drawPlaces({ eventId: 'evt_test', seed: seedNo(i), size: 5, beacon: '' }).join()
      counts.set(order, (counts.get(order) ?? 0) + 1)
    }
    const expected = SEEDS / 120
    expect(counts.size).toBe(120)
    const sum = [...counts.values()].reduce((total, count) => total + (count - expected) ** 2 / expected, 0)
    expectWithin('orders of 5', sum, 119)
  })

  test('in a large draw, too, coming early is worth nothing: the first tenth spreads over all tenths', () => {
    const size = 100_003
    const counts = new Uint32Array(100)
    for (let i = 0; i < 10; i++) {
      const places = drawPlaces({ eventId: 'evt_test', seed: seedNo(i), size, beacon: '' })
      for (let arrival = 0; arrival < size; arrival++) {
        const from = Math.floor((arrival * 10) / size)
        const to = Math.floor((((places[arrival] as number) - 1) * 10) / size)
        counts[from * 10 + to] = (counts[from * 10 + to] ?? 0) + 1
      }
    }
    const expected = (size * 10) / 100
    const sum = counts.reduce((total, count) => total + (count - expected) ** 2 / expected, 0)
    expectWithin('tenths of 100,003', sum, 81)
  })
})
