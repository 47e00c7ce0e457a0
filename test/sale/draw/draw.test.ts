import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { drawPlaces } from '../../../src/sale/draw/draw.ts'
import { drawnPlaces } from '../../../src/sale/draw/drawnPlaces.ts'
import { DRAW_VECTORS, digestOf } from '../../support/drawVectors.ts'
import { LONG } from '../../support/long.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const seedNo = (i: number) => sha256(`the draw's test ${i}`)

test.each(DRAW_VECTORS)(
  'the draw of $eventId gives the places that docs/draw.md publishes',
  ({ first, digest, ...draw }) => {
    const places = drawPlaces(draw)
    expect([...places.slice(0, first.length)]).toEqual(first)
    expect(digestOf(places)).toBe(digest)
  },
)

test.each([0, 1, 2, 3, 1_000, 2_000_000])(
  'in a draw of %i each fan has one place, and each place one fan',
  (size) => {
    const places = drawPlaces({ eventId: 'evt_test', seed: seedNo(1), size, beacon: '' })
    expect(places.length).toBe(size)
    const seen = new Uint8Array(size + 1)
    for (const place of places) seen[place] = (seen[place] ?? 0) + 1
    expect(seen.subarray(1).every((count) => count === 1)).toBe(true)
  },
)

test('another event, seed, size or beacon gives another draw', () => {
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

test('a draw on its own thread gives the same places, and leaves the serving thread free', async () => {
  const draw = { eventId: 'evt_test', seed: seedNo(3), size: 1_000_000, beacon: 'b' }
  let isDrawing = true
  let turnsOfLoop = 0
  const drawing = drawnPlaces(draw).finally(() => {
    isDrawing = false
  })
  while (isDrawing) {
    turnsOfLoop += 1
    await setImmediate()
  }
  expect(Buffer.compare(bytesOf(await drawing), bytesOf(drawPlaces(draw)))).toBe(0)
  // A draw on this thread leaves one turn before it and one after it.
  expect(turnsOfLoop).toBeGreaterThan(10)
})

const bytesOf = (places: Uint32Array) => new Uint8Array(places.buffer)

test.runIf(process.platform === 'linux')(
  'the draw’s thread leaves a scarce core to serving threads',
  async () => {
    const before = new Set(niceness().keys())
    const thread = new Worker(new URL('../../../src/sale/draw/drawThread.ts', import.meta.url), {
      workerData: { eventId: 'evt_test', seed: seedNo(4), size: 1, beacon: '' },
      // Keeps the thread alive after its draw, so that its priority can be read.
      execArgv: ['--import', 'data:text/javascript,setInterval(() => {}, 1_000)'],
    })
    try {
      await once(thread, 'message')
      const added = [...niceness()].filter(([id]) => !before.has(id)).map(([, nice]) => nice)
      expect(Math.max(...added)).toBe(Math.max(getPriority(), 5))
    } finally {
      await thread.terminate()
    }
  },
)

/** The niceness of each thread of this process, by the thread's id. A thread may end while they are read. */
function niceness(): Map<number, number> {
  const threads = readdirSync('/proc/self/task').map(Number)
  return new Map(
    threads.flatMap((id): [number, number][] => {
      try {
        return [[id, getPriority(id)]]
      } catch {
        return []
      }
    }),
  )
}

describe('over many seeds, the same ones in every run', () => {
  /**
   * The value that a chi-square with this many degrees of freedom exceeds once in 10,000 times, and the value that it stays
   * below as often: Wilson and Hilferty's approximation, good to a percent from ten degrees on.
   */
  function bounds(degrees: number): [number, number] {
    const at = (z: number) => degrees * (1 - 2 / (9 * degrees) + z * Math.sqrt(2 / (9 * degrees))) ** 3
    return [at(-3.719), at(3.719)]
  }

  function expectWithin(name: string, statistic: number, degrees: number) {
    const [low, high] = bounds(degrees)
    process.stdout.write(`${name}: chi-square ${statistic.toFixed(1)} of ${degrees} degrees\n`)
    expect(statistic).toBeGreaterThan(low)
    expect(statistic).toBeLessThan(high)
  }

  test.each([7, 10])('each of %i fans gets each place equally often', (size) => {
    const SEEDS = LONG ? 20_000 : 4_000
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
    // Rows and columns of a permutation matrix add up to one. That leaves (size - 1)² degrees of freedom, and this factor.
    expectWithin(`places of ${size}`, (sum * (size - 1)) / size, (size - 1) ** 2)
  })

  test('all 120 orders of five fans are equally frequent', () => {
    const SEEDS = LONG ? 24_000 : 4_800
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

  test('in a large draw, too, joining early gives no advantage: the first tenth spreads over all tenths', () => {
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
