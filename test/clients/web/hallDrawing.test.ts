import { expect, test } from 'vitest'
import type { HallPlan, PlanArea, Section } from '../../../clients/sdk/index.ts'
import {
  CHOSEN,
  changedSeats,
  FADED,
  lookOf,
  seatStates,
} from '../../../clients/web/src/map/drawing/seatStates.ts'
import { matchingSeats, mayMatch } from '../../../clients/web/src/map/filters.ts'
import { areaBox } from '../../../clients/web/src/map/geometry/areaBox.ts'
import { type Box, overlap } from '../../../clients/web/src/map/geometry/box.ts'
import { commonPrefix, hallLabels } from '../../../clients/web/src/map/geometry/hallLabels.ts'
import { hallDrawing } from '../../../clients/web/src/map/geometry/hallPlan.ts'
import { miniMapBox } from '../../../clients/web/src/map/geometry/miniMapBox.ts'
import { createSeatGrid } from '../../../clients/web/src/map/geometry/seatGrid.ts'

/** Squares of this side at these corners, named Block A, Block B and so on. */
function hall(side: number, corners: readonly (readonly [number, number])[]) {
  const sections = corners.map(
    (_, i) => ({ id: `s${i}`, name: `Block ${String.fromCharCode(65 + i)}` }) as Section,
  )
  const plan: HallPlan = {
    areas: [],
    focus: null,
    sections: corners.map(([x, y], i) => ({
      id: `s${i}`,
      wheelchairSeats: 0,
      outline: [
        { x, y },
        { x: x + side, y },
        { x: x + side, y: y + side },
        { x, y: y + side },
      ],
    })),
  }
  return { sections, plan }
}

const draw = ({ sections, plan }: ReturnType<typeof hall>) => {
  const drawing = hallDrawing(sections, plan)
  if (!drawing) throw new Error('nothing to draw')
  return drawing
}

test('sections on one spot are drawn side by side; sections that overlap a little stay where they are', () => {
  const spread = draw(
    hall(300, [
      [0, 0],
      [10, 0],
      [0, 5],
      [0, 0],
      [5, 5],
      [0, 0],
    ]),
  )
  expect(spread.isSpread).toBe(true)
  for (const [i, a] of spread.sections.entries())
    for (const b of spread.sections.slice(i + 1)) expect(overlap(a.box, b.box)).toBe(false)
  const overlapping = draw(
    hall(300, [
      [0, 0],
      [250, 0],
    ]),
  )
  expect(overlapping.isSpread).toBe(false)
  expect(overlapping.sections.map(({ shift }) => shift)).toEqual([
    { x: 0, y: 0 },
    { x: 0, y: 0 },
  ])
})

test('sections all round have their middle for a field; sections in a line have none', () => {
  const round = draw(
    hall(100, [
      [0, 500],
      [500, 0],
      [1_000, 500],
      [500, 1_000],
    ]),
  )
  expect(round).toMatchObject({ focus: { x: 550, y: 550 }, feature: 'MIDDLE' })
  expect(
    draw(
      hall(100, [
        [0, 0],
        [200, 0],
        [400, 0],
      ]),
    ).focus,
  ).toBeNull()
})

test('the labels of overlapping sections overlap neither each other nor a seat', () => {
  const { sections, box } = draw(
    hall(300, [
      [0, 0],
      [200, 0],
      [400, 0],
    ]),
  )
  const rows = Array.from({ length: 9 }, (_, i) => i * 35)
  const seats = rows.flatMap((y) => Array.from({ length: 29 }, (_, i) => ({ x: i * 25, y })))
  const scale = 0.5
  const view = { scale, left: 60, top: 60, width: box.width * scale + 120, height: 300, zoom: 1, mostZoom: 4 }
  const details = new Map(sections.map(({ section }) => [section.id, '44 free']))
  const labels = hallLabels(sections, details, view, createSeatGrid(seats, 10))
  expect(labels.map(({ name }) => name).sort()).toEqual(['Block A', 'Block B', 'Block C'])
  for (const [i, a] of labels.entries()) {
    for (const b of labels.slice(i + 1)) expect(overlap(a.box, b.box)).toBe(false)
    for (const seat of seats) {
      const at = { x: seat.x * scale + 60, y: seat.y * scale + 60, width: 0.1, height: 0.1 }
      expect(overlap(a.box, at)).toBe(false)
    }
  }
})

test('no label stands under the small map of the hall', () => {
  const { sections, box } = draw(
    hall(300, [
      [0, 0],
      [400, 0],
      [0, 400],
      [400, 400],
    ]),
  )
  const view = { scale: 1, left: 0, top: 0, width: 700, height: 700, zoom: 2, mostZoom: 4 }
  const ids = (covered: Box | null) =>
    hallLabels(sections, new Map(), view, null, { covered }).map(({ sectionId }) => sectionId)
  expect(ids(null).sort()).toEqual(['s0', 's1', 's2', 's3'])
  const covered = miniMapBox(box, { ...view, width: 640, height: 640 }, 16)
  expect(ids(covered).sort()).toEqual(['s0', 's1', 's2'])
  expect(miniMapBox(box, { ...view, zoom: 1 }, 16)).toBeNull()
})

test('names lose what all of them begin with, up to the last space', () => {
  expect(commonPrefix(['Section 101', 'Section 102'])).toBe('Section ')
  expect(commonPrefix(['Stalls', 'Balcony'])).toBe('')
  expect(commonPrefix(['Only one'])).toBe('')
})

test('the box of an area follows its shape and its turn', () => {
  const area = {
    x: 100,
    y: 50,
    rotation: 90,
    width: 30,
    height: 10,
    radiusX: null,
    radiusY: null,
    points: [],
    text: null,
  }
  const box = areaBox({ ...area, kind: 'RECTANGLE' } as unknown as PlanArea)
  expect(box).toMatchObject({ width: expect.closeTo(10), height: expect.closeTo(30) })
  expect(box.x).toBeCloseTo(90)
  const round = areaBox({ ...area, kind: 'CIRCLE', radiusX: 5, radiusY: 5 } as unknown as PlanArea)
  expect(round).toMatchObject({ x: expect.closeTo(95), width: expect.closeTo(10) })
})

test('only the seats that change are drawn again', () => {
  const view = { chosen: [1], stranded: [], matches: Uint8Array.of(1, 1, 0, 1) }
  const before = seatStates(4, { ...view, statuses: Uint8Array.of(0, 0, 2, 1) })
  expect([...before].map(lookOf)).toEqual(['free', 'free', 'sold', 'held'])
  expect(before[1]).toBe(CHOSEN)
  expect((before[2] ?? 0) & FADED).toBeTruthy()
  const after = seatStates(4, { ...view, statuses: Uint8Array.of(0, 0, 2, 2) })
  expect(changedSeats(before, after)).toEqual([3])
  expect(changedSeats(null, after)).toEqual([0, 1, 2, 3])
})

test('a filter for seats side by side counts free seats of the wanted price within one run', () => {
  const seats = Array.from({ length: 7 }, (_, i) => ({
    priceLevelId: i < 5 ? 'a' : 'b',
    wheelchair: i === 0,
    companionOf: null,
  }))
  const plan = { seats: seats as never, runs: [[0, 1, 2, 3, 4, 5, 6]] }
  const any = { levels: new Set<string>(), wheelchair: false, together: 1 }
  const statuses = Uint8Array.of(0, 0, 1, 0, 0, 0, 0)
  expect(matchingSeats(any, plan, statuses)).toBeNull()
  expect([...(matchingSeats({ ...any, together: 3 }, plan, statuses) ?? [])]).toEqual([0, 0, 0, 1, 1, 1, 1])
  expect([...(matchingSeats({ ...any, together: 3, levels: new Set(['b']) }, plan, statuses) ?? [])]).toEqual(
    [0, 0, 0, 0, 0, 0, 0],
  )
  expect([...(matchingSeats({ ...any, wheelchair: true }, plan, statuses) ?? [])]).toEqual([
    1, 0, 0, 0, 0, 0, 0,
  ])
  const section = { priceLevels: [{ id: 'a' }] } as never
  expect(mayMatch({ ...any, together: 4 }, section, 3, 0)).toBe(false)
  expect(mayMatch({ ...any, levels: new Set(['b']) }, section, 30, 0)).toBe(false)
  expect(mayMatch({ ...any, wheelchair: true }, section, 30, 2)).toBe(true)
})

test('on a phone the numbers of a stadium stand before its small sections, as many as have room', () => {
  const around = Array.from({ length: 100 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 100
    return [5_000 + 4_000 * Math.cos(angle), 5_000 + 4_000 * Math.sin(angle)] as const
  })
  const { sections, plan } = hall(240, around)
  const named = sections.map((section, i) => ({ ...section, name: `Section ${101 + i}` }))
  const { sections: drawn } = draw({ sections: named, plan })
  const view = { scale: 0.036, left: 4, top: 4, width: 366, height: 366, zoom: 1, mostZoom: 20 }
  const labels = hallLabels(drawn, new Map(), view, null)
  expect(labels.slice(0, 3).map(({ name }) => name)).toEqual(['101', '106', '111'])
  expect(labels).toHaveLength(20)
  for (const [i, { box }] of labels.entries())
    expect(labels.slice(i + 1).filter((other) => overlap(box, other.box))).toEqual([])
})
