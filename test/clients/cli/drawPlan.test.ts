import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fairgate } from '../../support/cli.ts'
import { temporaryFolder } from '../../support/folder.ts'

const folder = temporaryFolder('plans')

const row = (label: string, y: number, category = 'A') => ({
  row_number: label,
  position: { x: 0, y },
  seats: [0, 1, 2, 3, 5, 6, 7, 8].map((at, i) => ({
    seat_guid: `${label}-${i + 1}`,
    seat_number: String(i + 1),
    position: { x: 25 * at, y: 0 },
    category,
  })),
})

const plan = (rows: object[]) => ({
  name: 'Hall',
  categories: [{ name: 'A' }, { name: 'B <best>' }],
  zones: [
    {
      name: 'Stalls & boxes',
      position: { x: 0, y: 0 },
      rows,
      areas: [
        {
          shape: 'rectangle',
          position: { x: 0, y: 160 },
          rectangle: { width: 200, height: 40 },
          text: { text: 'BÜHNE', position: { x: 100, y: 20 } },
        },
      ],
    },
  ],
})

async function file(name: string, content: object): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify(content))
  return path
}

const whole = await file('plan.json', plan([row('1', 0), row('2', 30, 'B <best>'), row('3', 60)]))
const rankOf = (svg: string, seat: string) => Number(new RegExp(`${seat}: rank (\\d+)`).exec(svg)?.[1])

test('the command draws areas, rows between their aisles, and the ranks before the stage', async () => {
  const { code, out, err } = await fairgate('draw-plan', whole)
  expect([code, err]).toEqual([0, '24 seats in 1 sections and 3 rows, 1 areas, the seats look at 100,180.\n'])
  expect(out).toMatch(/^<svg [\s\S]*BÜHNE[\s\S]*<\/svg>\n$/)
  expect(out.match(/<polyline /g)).toHaveLength(6)
  expect(rankOf(out, 'Stalls &#38; boxes, row 3, seat 4')).toBeLessThan(3)
  expect(rankOf(out, 'row 1, seat 1')).toBeGreaterThan(20)
})

test('it follows the point and the categories that an organizer may set', async () => {
  const { out } = await fairgate('draw-plan', whole, '--near', '0,0', '--category', 'B <best>')
  expect(rankOf(out, 'row 2, seat 1')).toBe(1)
  expect(rankOf(out, 'row 1, seat 1')).toBe(9)
})

test('it draws a plan that createEvent would refuse, and says why', async () => {
  const twice = await file('twice.json', plan([row('1', 0), row('1', 30)]))
  const { code, out, err } = await fairgate('draw-plan', twice)
  expect([code, out.startsWith('<svg')]).toEqual([2, true])
  expect(err).toMatch(/"1-1" is the id of two seats: .* 8 ids are repeated/)
})

test.each<[string, string[], RegExp]>([
  ['no file', [], /give one plan/],
  ['a file that is not there', ['nowhere.json'], /nowhere.json cannot be read/],
  ['a file that is no plan', ['package.json'], /package.json is no plan to draw. plan: has no seats/],
  ['half a point', [whole, '--near', '3'], /--near must be two numbers/],
  ['an unknown category', [whole, '--category', 'X'], /"X" is no category of the plan/],
])('it refuses %s', async (_what, args, message) => {
  expect(await fairgate('draw-plan', ...args)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
})
