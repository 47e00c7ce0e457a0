import { expect, test } from 'vitest'
import { createGatheredMerges } from '../../../src/sale/map/gatheredMerges.ts'
import { HELD, type SeatChange } from '../../../src/seatStatus.ts'

const change = (seatNo: number): SeatChange => ({ seatNo, status: HELD, revision: 1 })

test('changes of a section that come together are merged in one call; each caller waits for that call', async () => {
  const merged: string[] = []
  const merge = createGatheredMerges(async (eventId, sectionNo, changes) => {
    merged.push(`${eventId} ${sectionNo}: ${changes.map(({ seatNo }) => seatNo)}`)
  })
  const first = [change(1), change(2)]
  await Promise.all([
    merge('a', 1, first),
    merge('a', 2, [change(9)]),
    merge('a', 1, [change(3)]),
    merge('b', 1, first),
  ])
  expect(merged).toEqual(['a 1: 1,2,3', 'a 2: 9', 'b 1: 1,2'])
  expect(first).toHaveLength(2)
  await merge('a', 1, [change(4)])
  expect(merged.at(-1)).toBe('a 1: 4')
})

test('a failed merge fails only the callers whose changes it contained', async () => {
  let fails = true
  const merge = createGatheredMerges(async (_, sectionNo) => {
    if (sectionNo === 1 && fails) throw new Error('away')
  })
  const results = await Promise.allSettled([1, 1, 2].map((sectionNo) => merge('a', sectionNo, [change(1)])))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  fails = false
  await merge('a', 1, [change(1)])
})
