import { useMemo } from 'preact/hooks'
import { locale } from '../i18n/texts.ts'
import type { View } from './camera/camera.ts'
import { type HallLabel, hallLabels, LABEL } from './geometry/hallLabels.ts'
import type { HallDrawing } from './geometry/hallPlan.ts'
import { miniMapBox } from './geometry/miniMapBox.ts'
import type { SeatGrid } from './geometry/seatGrid.ts'
import { freeText } from './words.ts'

interface HallLabelsProps {
  drawing: HallDrawing
  view: View
  /** Where seats are drawn, which no label covers. */
  grid: SeatGrid | null
  /** The number of free seats, by section. */
  free: ReadonlyMap<string, number>
  /** In pixels. */
  rem: number
}

/** The names of the sections with their free seats. A count of as many digits as before moves no label. */
export function HallLabels({ drawing, view, grid, free, rem }: HallLabelsProps) {
  const { sections, scenery, box } = drawing
  const details = useMemo(
    () =>
      new Map(sections.map(({ section: { id } }) => [id, free.has(id) ? freeText(free.get(id) ?? 0) : ''])),
    [sections, free, locale()],
  )
  const lengths = [...details.values()].map(({ length }) => length).join()
  const labels = useMemo(
    () => hallLabels(sections, details, view, grid, { scenery, covered: miniMapBox(box, view, rem), rem }),
    [drawing, view, grid, rem, lengths],
  )
  return (
    <>
      {labels.map((label) => (
        <Label
          key={label.sectionId}
          label={label}
          detail={label.detail && (details.get(label.sectionId) ?? '')}
          rem={rem}
        />
      ))}
    </>
  )
}

function Label({ label: { name, box }, detail, rem }: { label: HallLabel; detail: string; rem: number }) {
  const x = box.x + box.width / 2
  const first = box.y + LABEL.name * rem * LABEL.line * 0.86
  return (
    <text class="label" x={x} y={first} font-size={LABEL.name * rem}>
      {name}
      {detail && (
        <tspan class="left" x={x} dy={LABEL.detail * rem * LABEL.line} font-size={LABEL.detail * rem}>
          {detail}
        </tspan>
      )}
    </text>
  )
}
