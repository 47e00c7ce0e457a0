import type { Hoarding } from './hoarder.ts'

/** One run of a sale with hoarding accounts. */
export interface HoardedRun {
  readonly name: string
  readonly seats: number
  readonly fans: number
  /** Fans who bought, and their seats. */
  readonly buyers: number
  readonly bought: number
  /** Seats that fans had bought after each second of the sale. */
  readonly course: readonly number[]
  readonly hoarding: Hoarding
}

/** The report on an honest crowd's share of a sale, a column for each run. */
export function comparison(runs: readonly HoardedRun[], hoarders: number): string {
  const rows: [string, (run: HoardedRun) => string][] = [
    ['seats', ({ seats }) => count(seats)],
    ['bought by fans', ({ bought }) => count(bought)],
    ['  share of the seats', ({ bought, seats }) => percent(bought / seats)],
    ['fans who bought', ({ buyers, fans }) => `${count(buyers)} of ${count(fans)}`],
    ['bought after one minute', ({ course }) => count(at(course, 60))],
    ['bought after two minutes', ({ course }) => count(at(course, 120))],
    ['half of the seats bought after', ({ course, seats }) => after(course, seats / 2)],
    ['nine tenths bought after', ({ course, seats }) => after(course, 0.9 * seats)],
    ['most seats hoarded at once', ({ hoarding }) => count(hoarding.mostSeats)],
    ['  share of the seats', ({ hoarding, seats }) => percent(hoarding.mostSeats / seats)],
    ['seat minutes hoarded', ({ hoarding }) => count(hoarding.seatSeconds / 60)],
    ['hoarders’ holds', ({ hoarding }) => count(hoarding.holds)],
    [
      'hoarders’ holds refused: TooManyHolds',
      ({ hoarding }) => count(hoarding.refusals.get('TooManyHolds') ?? 0),
    ],
  ]
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  const widths = runs.map((run) => Math.max(run.name.length, 14) + 2)
  const line = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(width)}${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('')}`
  return [
    `${hoarders} accounts at one address hold and never pay`,
    line(
      '',
      runs.map(({ name }) => name),
    ),
    ...rows.map(([name, of]) => line(name, runs.map(of))),
    '',
  ].join('\n')
}

const count = (value: number) => Math.round(value).toLocaleString('en')
const percent = (share: number) => `${(100 * share).toFixed(0)} %`

/** Where the course is over before, the rest of the time changed nothing. */
function at(course: readonly number[], second: number): number {
  return course[Math.min(second, course.length) - 1] ?? 0
}

function after(course: readonly number[], seats: number): string {
  const second = course.findIndex((bought) => bought >= seats)
  return second < 0 ? 'never' : `${second + 1} s`
}
