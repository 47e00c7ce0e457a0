import { useEffect, useState } from 'preact/hooks'
import type { EventPage, Point } from '../../../../sdk/index.ts'
import type { Page } from '../../model/page.ts'
import type { HallDrawing } from './hallPlan.ts'
import { dotPath, runPath } from './paths.ts'
import { createSeatGrid, type SeatGrid } from './seatGrid.ts'
import { pitchOf, rowsOf, runsOf } from './seatRows.ts'

/** The seats of a small hall, as paths for the picture of the hall. */
export interface HallSeats {
  readonly sections: ReadonlyMap<string, SectionSeats>
  readonly grid: SeatGrid
}

interface SectionSeats {
  readonly pitch: number
  /** A line through each row. */
  readonly rows: string
  /** The seats of each price level, by its id. */
  readonly dots: ReadonlyMap<string, string>
}

/** The seats of a larger hall are not loaded before the fan opens a section: on a phone they would take seconds. */
const MOST_SEATS = 3_000

/** True for a hall whose picture shows its seats. */
export function drawsSeats({ sections }: HallDrawing): boolean {
  return sections.reduce((sum, { section }) => sum + section.capacity, 0) <= MOST_SEATS
}

/** Loads the seats of a small hall; null until they are there, and for a large one. */
export function useHallSeats(page: Page, event: EventPage, drawing: HallDrawing | null): HallSeats | null {
  const [seats, setSeats] = useState<HallSeats | null>(null)
  useEffect(() => {
    if (!drawing || !drawsSeats(drawing)) return
    let isOver = false
    load(page, event.id, drawing).then(
      (loaded) => isOver || setSeats(loaded),
      // The outlines are enough.
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [drawing])
  return seats
}

async function load({ fairgate }: Page, eventId: string, drawing: HallDrawing): Promise<HallSeats> {
  const all: Point[] = []
  const pitches: number[] = []
  const loaded = await Promise.all(
    drawing.sections.map(async ({ section, shift }) => {
      const seats = await fairgate.seatMap.layout(eventId, section)
      const at = seats.map(({ x, y }) => ({ x: x + shift.x, y: y + shift.y }))
      const pitch = pitchOf(seats)
      const byLevel = Map.groupBy(at.keys(), (i) => seats[i]?.priceLevelId ?? '')
      const dots = new Map(
        [...byLevel].map(([id, indexes]) => [id, dotPath(indexes.map((i) => at[i] as Point))]),
      )
      all.push(...at)
      pitches.push(pitch)
      return [section.id, { pitch, rows: runPath(at, runsOf(seats, rowsOf(seats), pitch)), dots }] as const
    }),
  )
  return { sections: new Map(loaded), grid: createSeatGrid(all, Math.max(...pitches) * 0.45) }
}
