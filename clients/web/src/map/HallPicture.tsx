import { useMemo } from 'preact/hooks'
import { locale } from '../i18n/texts.ts'
import type { ChosenSeat } from '../model/chosenSeats.ts'
import { Areas } from './Areas.tsx'
import type { Camera } from './camera/camera.ts'
import { type HallLabel, hallLabels, LABEL } from './geometry/hallLabels.ts'
import type { HallDrawing } from './geometry/hallPlan.ts'
import type { HallSeats } from './geometry/hallSeats.ts'
import { outlinePath } from './geometry/paths.ts'
import { remOf } from './geometry/rem.ts'
import { HallBlock } from './HallBlock.tsx'
import { freeText } from './words.ts'

/** Rows closer than this in pixels are drawn as lines. */
const DOTS_FROM = 4.5

/** A hall at this moment. */
export interface HallNow {
  drawing: HallDrawing
  /** The number of free seats, by section. */
  free: ReadonlyMap<string, number>
  /** Ids of the sections that may have what the fan looks for; null: all. */
  matching: ReadonlySet<string> | null
}

interface HallPictureProps extends HallNow {
  camera: Camera
  seats: HallSeats | null
  chosen: readonly ChosenSeat[]
  /** True where a press opens a section. */
  isOpen: boolean
}

/** The plan's areas, the sections with their free seats, the chosen seats and the labels above all of them. */
export function HallPicture({ camera, drawing, free, matching, seats, isOpen, chosen }: HallPictureProps) {
  const view = camera.drawn.value
  const { sections, areas } = drawing
  const rem = useMemo(remOf, [view])
  const details = useMemo(
    () =>
      new Map(sections.map(({ section: { id } }) => [id, free.has(id) ? freeText(free.get(id) ?? 0) : ''])),
    [sections, free, locale()],
  )
  const shapes = useMemo(
    () => sections.map((drawn) => ({ drawn, path: outlinePath(drawn.outline) })),
    [sections],
  )
  // The blocks stay the same while the map moves.
  const blocks = useMemo(
    () =>
      shapes.map(({ drawn, path }) => (
        <HallBlock
          key={drawn.section.id}
          drawn={drawn}
          path={path}
          left={free.get(drawn.section.id) ?? 0}
          isFaded={matching !== null && !matching.has(drawn.section.id)}
          isOpen={isOpen}
          seats={seats}
        />
      )),
    [shapes, free, matching, seats, isOpen],
  )
  const labels = hallLabels(sections, details, view, seats?.grid ?? null, {
    scenery: drawing.scenery,
    rem,
  })
  const isClose = seats !== null && view.scale * 25 >= DOTS_FROM
  return (
    <svg aria-hidden="true" class={isClose ? 'hallmap close' : 'hallmap'}>
      <defs>
        <pattern
          id="none-free"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform={`rotate(45) scale(${1 / view.scale})`}
        >
          <path d="M0 0V6" />
        </pattern>
      </defs>
      <g transform={`translate(${view.left} ${view.top}) scale(${view.scale})`}>
        <Areas areas={areas} />
        {blocks}
        {chosen.map(({ seat, section }) => {
          const shift = sections.find((drawn) => drawn.section.id === section.id)?.shift
          return (
            shift && (
              <circle
                key={seat.id}
                class="mine"
                cx={seat.x + shift.x}
                cy={seat.y + shift.y}
                r={7 / view.scale}
              />
            )
          )
        })}
      </g>
      {labels.map((label) => (
        <Label key={label.sectionId} label={label} rem={rem} />
      ))}
    </svg>
  )
}

function Label({ label: { name, detail, box }, rem }: { label: HallLabel; rem: number }) {
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
