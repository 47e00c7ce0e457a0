import { readFile } from 'node:fs/promises'
import type { InputFault } from '../../src/sale/faults.ts'
import { createInputFaults } from '../../src/sale/inputFaults.ts'
import type { BestSeats } from '../../src/sale/plan/bestSeats.ts'
import { type LocatedPlan, locateSeats } from '../../src/sale/plan/locateSeats.ts'
import { readSeatingPlan } from '../../src/sale/plan/readSeatingPlan.ts'
import type { SeatingPlan } from '../../src/sale/plan/seatingPlan.ts'
import { type Command, CommandError, parseFlags } from './command.ts'
import { drawPlan as drawSvg } from './planDrawing.ts'

const HELP = `fairgate draw-plan <plan.json> [--near X,Y] [--category NAME …] > plan.svg

Draws a seating plan as an event would sell it, before it is loaded. The output is SVG, which every browser opens.

A line joins the seats that are side by side; it ends at an aisle. A dashed line joins the seats across a table. The
colour of a seat is its rank, from green for the best to grey for the worst. The ten best seats have a red ring. A red
cross is what the seats look at: the stage, the screen or the field that the plan names, or the point of --near. Hold the
pointer over a seat for its name and its rank.

  --near X,Y        the best seats are the nearest to this point, as bestSeats.near of createEvent
  --category NAME   a category of the plan, as bestSeats.categories; give it once for each category, the best first
  --help            this text

Exit codes: 0 drawn; 1 no plan to draw; 2 drawn, and createEvent would refuse the plan: the reasons are on stderr.
`

export const drawPlan: Command = {
  name: 'draw-plan',
  summary: 'draws the rows, the neighbours and the best seats of a seating plan',
  help: HELP,
  async run(args) {
    const { values, positionals } = parseFlags(args, {
      near: { type: 'string' },
      category: { type: 'string', multiple: true },
    })
    const [file] = positionals
    if (!file || positionals.length > 1) throw new CommandError('give one plan: fairgate draw-plan plan.json')
    const text = await readFile(file, 'utf8').catch((error: Error) => {
      throw new CommandError(`${file} cannot be read: ${error.message}`)
    })
    const { plan, faults } = read(text)
    const reasons = faults.map(({ path, message }) => `${path.join('.')}: ${message}`)
    if (!plan) throw new CommandError(`${file} is no plan to draw. ${reasons.join('; ')}`)
    const best: BestSeats = { near: readPoint(values.near), categories: values.category ?? [] }
    for (const key of best.categories)
      if (!plan.categories.some((category) => category.key === key))
        throw new CommandError(`--category: "${key}" is no category of the plan`)
    const located = locateSeats(plan, best)
    process.stderr.write(`${[summaryOf(plan, located), ...reasons].join('\n')}\n`)
    return { text: drawSvg(plan, located), code: reasons.length > 0 ? 2 : 0 }
  },
}

function read(text: string): { plan: SeatingPlan | null; faults: readonly InputFault[] } {
  const faults = createInputFaults()
  const plan = readSeatingPlan(text, ['plan'], faults)
  try {
    faults.throwAny()
    return { plan, faults: [] }
  } catch (error) {
    return { plan, faults: (error as { extensions: { faults: InputFault[] } }).extensions.faults }
  }
}

function readPoint(near: string | undefined) {
  if (near === undefined) return null
  const [x, y] = near.split(',').map(Number)
  if (!/^[^,]+,[^,]+$/.test(near) || !Number.isFinite(x) || !Number.isFinite(y))
    throw new CommandError('--near must be two numbers, such as 450,120')
  return { x: x as number, y: y as number }
}

function summaryOf(plan: SeatingPlan, { positions, focus }: LocatedPlan): string {
  const located = positions.flat()
  const rows = new Set(located.map(({ rowNo }) => rowNo)).size
  const rings = new Set(located.flatMap(({ ringSize, rowNo }) => (ringSize === null ? [] : rowNo))).size
  const atTables = located.filter(({ across }) => across !== null).length
  const parts = [
    `${located.length} seats in ${plan.sections.length} sections and ${rows} rows`,
    ...(rings > 0 ? [`${rings} closed rows`] : []),
    ...(atTables > 0 ? [`${atTables} seats at tables of two benches`] : []),
    `${plan.areas.length} areas`,
    focus
      ? `the seats look at ${Math.round(focus.x)},${Math.round(focus.y)}`
      : 'the front follows from the rows',
  ]
  return `${parts.join(', ')}.`
}
