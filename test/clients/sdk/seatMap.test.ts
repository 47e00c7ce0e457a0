import { expect, onTestFinished, test, vi } from 'vitest'
import { createFairgate, memorySession, type Section } from '../../../clients/sdk/index.ts'
import { eventually } from '../eventually.ts'
import { fakeService, stream } from './fakeService.ts'

const AS_OF = '2026-01-01T10:00:00.000Z'
const section = { id: 'sec_1_0', capacity: 4, layoutUrl: '/layout.json' } as Section

const pack = (...statuses: number[]) =>
  Buffer.from([statuses.reduce((byte, status, i) => byte | (status << (6 - 2 * i)), 0)]).toString('base64')

function snapshot(version: number, ...statuses: number[]) {
  return {
    sectionId: section.id,
    version,
    asOf: AS_OF,
    statuses: pack(...statuses),
    available: statuses.filter((status) => status === 0).length,
  }
}

function update(
  version: number,
  previousVersion: number | null,
  changes: [number, string][],
  whole?: object,
) {
  return {
    seatSection: {
      sectionId: section.id,
      version,
      previousVersion,
      asOf: AS_OF,
      available: 0,
      snapshot: whole ?? null,
      changes: changes.map(([index, status]) => ({ index, status })),
    },
  }
}

async function watching(availability: () => object) {
  const updates = stream(() => [update(10, null, [], snapshot(10, 0, 0, 0, 0))])
  const asked = vi.fn(availability)
  const service = await fakeService({
    fields: { seatSection: () => updates, event: () => ({ section: () => ({ availability: asked() }) }) },
  })
  const fairgate = createFairgate({ url: service.url, session: memorySession() })
  onTestFinished(() => fairgate.close())
  const maps: { version: number; statuses: number[] }[] = []
  onTestFinished(
    fairgate.seatMap.watch(
      'evt_1',
      section,
      ({ version, statuses }) => maps.push({ version, statuses: [...(statuses ?? [])] }),
      (error) => expect.fail(String(error)),
    ),
  )
  await eventually(() => expect(maps).toHaveLength(1))
  return { updates, asked, maps }
}

test('the watch delivers a snapshot and then the changes', async () => {
  const { updates, maps, asked } = await watching(() => expect.fail('no change was missed'))
  updates.push(update(11, 10, [[2, 'HELD']]))
  updates.push(
    update(13, 11, [
      [2, 'SOLD'],
      [0, 'NOT_FOR_SALE'],
    ]),
  )
  await eventually(() => expect(maps.at(-1)).toEqual({ version: 13, statuses: [3, 0, 2, 0] }))
  expect(asked).not.toHaveBeenCalled()
})

test('after missed changes the client reads the whole section once and continues from there', async () => {
  const { updates, maps, asked } = await watching(() => snapshot(14, 2, 0, 1, 0))
  updates.push(update(14, 13, [[0, 'SOLD']]))
  await eventually(() => expect(maps.at(-1)).toEqual({ version: 14, statuses: [2, 0, 1, 0] }))
  updates.push(update(15, 14, [[2, 'AVAILABLE']]))
  await eventually(() => expect(maps.at(-1)).toEqual({ version: 15, statuses: [2, 0, 0, 0] }))
  expect(asked).toHaveBeenCalledOnce()
})

test('a change that arrives during the read is not lost', async () => {
  const { updates, maps } = await watching(() => {
    updates.push(update(16, 14, [[3, 'HELD']]))
    return snapshot(14, 2, 0, 1, 0)
  })
  updates.push(update(14, 13, [[0, 'SOLD']]))
  await eventually(() => expect(maps.at(-1)).toEqual({ version: 16, statuses: [2, 0, 1, 1] }))
})

test('the client reads again if the snapshot is older than the missed changes', async () => {
  let answers = 0
  const { updates, maps, asked } = await watching(() =>
    ++answers === 1 ? snapshot(12, 0, 1, 0, 0) : snapshot(14, 2, 1, 1, 0),
  )
  updates.push(update(14, 13, [[0, 'SOLD']]))
  await eventually(() => expect(maps.at(-1)).toEqual({ version: 14, statuses: [2, 1, 1, 0] }))
  expect(asked).toHaveBeenCalledTimes(2)
})

test('the map never returns to an older version', async () => {
  const { updates, maps } = await watching(() => snapshot(10, 0, 0, 0, 0))
  updates.push(update(12, 10, [[1, 'SOLD']]))
  updates.push(update(11, 9, [[1, 'HELD']]))
  updates.push(update(9, null, [], snapshot(9, 1, 1, 1, 1)))
  updates.push(update(13, 12, [[3, 'HELD']]))
  await eventually(() => expect(maps.at(-1)).toEqual({ version: 13, statuses: [0, 2, 0, 1] }))
  expect(maps.map(({ version }) => version)).toEqual([10, 12, 13])
})
