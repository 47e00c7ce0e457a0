import { expect, test } from 'vitest'
import { createRandom } from '../../../clients/surge/random.ts'
import { type Counting, type SimulatedSale, simulate } from '../../support/simulatedSale.ts'

/*
 * Simulated sales with accounts that hold seats as fast as a script can, and never pay. While such accounts hold every seat,
 * the question is who is inside when the seats come back.
 */

const first = Number(process.env.SEED ?? 1)
const seeds = [0, 1, 2, 3, 4].map((i) => first + i)
console.log(`SEED=${first}`)

const hall: SimulatedSale = { seats: 1_231, rate: 30, noShows: 0.2, ghosts: 0.02, holdsUnpaid: 0.3 }

/** The seats that fans bought within so many minutes, on average. */
function soldAfter(minutes: number, sale: SimulatedSale, counting: Counting): number {
  const sold = seeds.map((seed) => {
    const { seconds } = simulate(sale, counting, 1, createRandom(seed, 0).next)
    return seconds[Math.min(60 * minutes, seconds.length) - 1]?.tickets ?? 0
  })
  return Math.round(sold.reduce((sum, one) => sum + one, 0) / sold.length)
}

test.each([100, 300])(
  'fans buy more of the seats that %i hoarding accounts let run out, since the line calls them before',
  (hoarders) => {
    const sale = { ...hall, hoarders }
    for (const minutes of [20, 40]) {
      const late = soldAfter(minutes, sale, 'available alone')
      const early = soldAfter(minutes, sale, 'rule')
      const limited = soldAfter(minutes, { ...sale, heldByHoarders: 100 }, 'rule')
      console.log(
        `${hoarders} hoarders, ${minutes} min: ${late} sold, called early ${early}, with a limit ${limited}`,
      )
      expect(early).toBeGreaterThanOrEqual(late)
      expect(limited).toBeGreaterThan(early)
    }
  },
)
