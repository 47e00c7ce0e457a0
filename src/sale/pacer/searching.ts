/**
 * How many of those inside still look for a seat. Some vanish without a word, and counted in full they keep others
 * from the seats that are left until their admissions end: ten minutes. Nobody tells of them, and a sign of life from
 * each fan would be a write for each fan; but who looked on for minutes while there was something to be had, and took
 * nothing, is likely gone. How likely is measured, from those who did take something.
 *
 * Simulated, with eight ghosts in a hundred and 1,231 seats: 95 percent are sold after 331 s instead of 772.
 */

/** The time in which searchers had their chance, in seconds, and when each of the last quarters of a minute of it ended. */
export interface Chances {
  readonly seconds: number
  readonly marks: readonly Date[]
}

/**
 * Of those whose search began within the marks: by how many marks had passed since, how many searched on at that
 * point (`searched`) and how many of them took something before the next mark (`took`).
 */
export interface Searches {
  readonly searched: readonly number[]
  readonly took: readonly number[]
}

const MARK_SECONDS = 15
export const MARKS = 20

/** What is assumed before anything is measured: of twenty one vanishes, and of the others a quarter finds a seat at each mark. */
const ASSUMED = 20
const ASSUMED_GONE = 1 / 20
const ASSUMED_FINDING = 1 / 4

const assumed = Array.from({ length: MARKS + 1 }, (_, mark) => {
  const looking = ASSUMED * (1 - ASSUMED_GONE) * (1 - ASSUMED_FINDING) ** mark
  return { searched: looking + ASSUMED * ASSUMED_GONE, took: looking * ASSUMED_FINDING }
})

/**
 * A second in which there is an order for everybody who searches is a second of chances; where there is one for each
 * tenth, a tenth of one: in a full house nobody's time runs out, for there is nothing to take.
 */
export function passChances(
  { seconds, marks }: Chances,
  elapsed: number,
  { orders, searching }: { orders: number; searching: number },
  now: Date,
): Chances {
  const after = seconds + elapsed * Math.min(1, orders / Math.max(1, searching))
  const passed = Math.floor(after / MARK_SECONDS) > Math.floor(seconds / MARK_SECONDS)
  return { seconds: after, marks: passed ? [...marks, now].slice(-MARKS) : marks }
}

/**
 * Searchers, each weighed by how likely it is that he still takes something, as against one who has just come in.
 * `searchers`: how many there are by the marks that have passed since their search began.
 */
export function countSearching(searchers: readonly number[], { searched, took }: Searches): number {
  let none = 1
  const takesLater: number[] = []
  for (let mark = MARKS; mark >= 0; mark--) {
    const prior = assumed[mark] as (typeof assumed)[0]
    none *= 1 - (prior.took + (took[mark] ?? 0)) / (prior.searched + (searched[mark] ?? 0))
    takesLater[mark] = 1 - none
  }
  const atOnce = takesLater[0] as number
  return searchers.reduce(
    (sum, count, mark) => sum + count * Math.min(1, (takesLater[Math.min(mark, MARKS)] as number) / atOnce),
    0,
  )
}
