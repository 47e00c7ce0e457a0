import { useMemo } from 'preact/hooks'
import type { ChosenSeat } from '../model/chosenSeats.ts'
import { Areas } from './Areas.tsx'
import type { Camera } from './camera/camera.ts'
import { type HallDrawing, isLarge } from './geometry/hallPlan.ts'
import type { HallSeats } from './geometry/hallSeats.ts'
import { outlinePath } from './geometry/paths.ts'
import { remOf } from './geometry/rem.ts'
import { HallBlock } from './HallBlock.tsx'
import { HallLabels } from './HallLabels.tsx'

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
  const isClose = seats !== null && view.scale * 25 >= DOTS_FROM
  const classes = ['hallmap', isClose && 'close', isLarge(drawing) && 'large']
  return (
    <svg aria-hidden="true" class={classes.filter(Boolean).join(' ')}>
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
      <HallLabels {...{ drawing, view, free, rem }} grid={seats?.grid ?? null} />
    </svg>
  )
}
