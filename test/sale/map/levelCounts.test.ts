import { expect, test } from 'vitest'
import { planId } from '../../../src/sale/ids.ts'
import { createLevelCounts } from '../../../src/sale/map/levelCounts.ts'
import { packStatuses } from '../../../src/sale/map/packedStatuses.ts'
import { AVAILABLE, HELD, NOT_FOR_SALE, SOLD } from '../../../src/seatStatus.ts'

const EVENT = 'evt_levels'
const level = (no: number) => planId('lvl', EVENT, no)

function counting(
  sections: { no: number; levelNos: number[]; layout: { priceLevelId: string }[] }[],
  statuses: (Uint8Array | null)[],
) {
  const asked: number[][] = []
  const count = createLevelCounts({
    catalogue: { event: () => ({ sections }) } as never,
    maps: {
      statuses: async (_: string, nos: number[]) => {
        asked.push(nos)
        return statuses
      },
    } as never,
  })
  return { count, asked }
}

const sectionCounts = new Map([
  [1, { counts: [5, 2, 1, 0] }],
  [2, { counts: [2, 1, 1, 1] }],
])

test('a level is counted over the sections that sell it, whole ones by their count and mixed ones seat by seat', async () => {
  const layout = [1, 2, 2, 1, 2].map((no) => ({ priceLevelId: level(no) }))
  const { count, asked } = counting(
    [
      { no: 1, levelNos: [1], layout: [] },
      { no: 2, levelNos: [1, 2], layout },
    ],
    [packStatuses([AVAILABLE, AVAILABLE, HELD, SOLD, NOT_FOR_SALE])],
  )
  expect(await count(EVENT, sectionCounts)).toEqual(
    new Map([
      [level(1), { available: 6, held: 2 }],
      [level(2), { available: 1, held: 1 }],
    ]),
  )
  expect(asked).toEqual([[2]])
})

test('a level with no seat left is counted as none, not as unknown', async () => {
  const layout = [1, 2].map((no) => ({ priceLevelId: level(no) }))
  const { count } = counting([{ no: 2, levelNos: [1, 2], layout }], [packStatuses([SOLD, AVAILABLE])])
  expect((await count(EVENT, sectionCounts)).get(level(1))).toEqual({ available: 0, held: 0 })
})

test('the levels of a general admission area with several prices, and of a section without a map, are not counted', async () => {
  const { count } = counting(
    [
      { no: 1, levelNos: [1, 2], layout: [] },
      { no: 2, levelNos: [2, 3], layout: [{ priceLevelId: level(3) }] },
      { no: 3, levelNos: [4], layout: [] },
    ],
    [null],
  )
  const counts = await count(EVENT, sectionCounts)
  expect([...counts.keys()]).toEqual([level(4)])
})
