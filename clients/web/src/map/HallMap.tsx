import { useMemo, useRef } from 'preact/hooks'
import type { EventPage, Section } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { ChosenSeat } from '../model/choice.ts'
import type { Page } from '../model/page.ts'
import { levelColor } from '../view/levelColor.ts'
import { Areas } from './Areas.tsx'
import type { Camera } from './camera.ts'
import { type HallLabel, hallLabels, LABEL } from './hallLabels.ts'
import type { HallDrawing, HallSection } from './hallPlan.ts'
import { drawsSeats, type HallSeats, useHallSeats } from './hallSeats.ts'
import { MapControls } from './MapControls.tsx'
import { MiniMap } from './MiniMap.tsx'
import { moveByKey, zoomByKey } from './mapKeys.ts'
import { outlinePath } from './paths.ts'
import { remOf } from './rem.ts'
import { FINGER } from './sizes.ts'
import { useCamera } from './useCamera.ts'
import { freeText } from './words.ts'

export interface HallMapProps {
  page: Page
  event: EventPage
  drawing: HallDrawing
  /** The number of free seats, by section. */
  free: ReadonlyMap<string, number>
  /** Ids of the sections that may have what the fan looks for; null: all. */
  matching: ReadonlySet<string> | null
  /** Opens a section; without it, or where it returns false, the sections are only shown. */
  open?: (section: Section) => void
  canOpen(section: Section): boolean
}

/** The largest scale, in pixels for a plan unit: neighbours 25 units apart are as large as a finger. */
const MOST_SCALE = 1.1
/** How far a tap on a small section zooms in. */
const TAP_ZOOM = 2.6
/** Rows closer than this in pixels are drawn as lines. */
const DOTS_FROM = 4.5
/** Room for the labels of the outer sections, in pixels. */
const PADDING = { x: 12, y: 36 }
const NO_LABELS_OUTSIDE = { x: 12, y: 12 }
/** How far a ground reaches beyond the middles of its outer seats, and its edge beyond it, in plan units. */
const GROUND = 14
const EDGE = 6
/** The width of the ground along a row, in distances between neighbours: the grounds of two rows touch. */
const GROUND_OF_ROWS = 2.5

/** The hall from above. Hidden from screen readers: the list beside it has the same sections. */
export function HallMap({ page, event, drawing, free, matching, open, canOpen }: HallMapProps) {
  const host = useRef<HTMLDivElement>(null)
  const options = useMemo(
    () => ({
      box: drawing.box,
      mostScale: MOST_SCALE,
      mostWholeScale: MOST_SCALE,
      padding: drawsSeats(drawing) ? PADDING : NO_LABELS_OUTSIDE,
    }),
    [drawing],
  )
  const camera = useCamera(host, options)
  const seats = useHallSeats(page, event, drawing)
  const isTouch = useRef(false)
  const { sections, box } = drawing

  function press(pressed: KeyboardEvent) {
    if (pressed.target !== pressed.currentTarget || pressed.ctrlKey || pressed.metaKey || pressed.altKey)
      return
    if (zoomByKey(camera, pressed.key) || moveByKey(camera, pressed.key)) pressed.preventDefault()
  }
  function click(clicked: MouseEvent) {
    const id = (clicked.target as Element).closest('[data-section]')?.getAttribute('data-section')
    const drawn = sections.find(({ section }) => section.id === id)
    if (!camera || !host.current || !drawn) return
    const { left, top } = host.current.getBoundingClientRect()
    const { scale, zoom, mostZoom } = camera.view.value
    const isSmall = Math.min(drawn.box.width, drawn.box.height) * scale < FINGER
    if (isTouch.current && isSmall && zoom < mostZoom)
      return camera.zoomBy(TAP_ZOOM, { x: clicked.clientX - left, y: clicked.clientY - top })
    if (open && canOpen(drawn.section)) open(drawn.section)
  }

  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be no better */}
      <div
        ref={host}
        class="plan map"
        role="group"
        aria-label={t('map.hallMap')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys zoom and move the map
        tabIndex={0}
        style={{ '--shape': box.width / box.height }}
        onPointerDown={(event) => {
          isTouch.current = event.pointerType !== 'mouse'
        }}
        onClick={click}
        onKeyDown={press}
      >
        {camera && (
          <>
            <Drawing
              {...{ camera, drawing, free, matching, seats, canOpen }}
              chosen={page.choice.chosen.value}
            />
            <MiniMap box={box} camera={camera}>
              {sections.map(({ section, outline, shift }) => (
                <path
                  key={section.id}
                  class="ground"
                  d={outlinePath(outline)}
                  transform={`translate(${shift.x} ${shift.y})`}
                  stroke-width={2 * GROUND}
                />
              ))}
            </MiniMap>
          </>
        )}
      </div>
      <div class="mapfoot">
        <p class="faint">{drawing.isSpread ? t('map.sideBySide') : t('map.moreFree')}</p>
        {camera && <MapControls camera={camera} whole={t('map.wholeHall')} />}
      </div>
    </>
  )
}

interface DrawingProps extends Pick<HallMapProps, 'drawing' | 'free' | 'matching' | 'canOpen'> {
  camera: Camera
  seats: HallSeats | null
  chosen: readonly ChosenSeat[]
}

function Drawing({ camera, drawing, free, matching, seats, canOpen, chosen }: DrawingProps) {
  const view = camera.view.value
  const { sections, areas } = drawing
  const rem = useMemo(remOf, [])
  const details = useMemo(
    () =>
      new Map(sections.map(({ section: { id } }) => [id, free.has(id) ? freeText(free.get(id) ?? 0) : ''])),
    [sections, free],
  )
  const shapes = useMemo(
    () => sections.map((drawn) => ({ drawn, path: outlinePath(drawn.outline) })),
    [sections],
  )
  // The blocks stay the same while the map moves.
  const blocks = useMemo(
    () =>
      shapes.map(({ drawn, path }) => (
        <Block
          key={drawn.section.id}
          drawn={drawn}
          path={path}
          left={free.get(drawn.section.id) ?? 0}
          isFaded={matching !== null && !matching.has(drawn.section.id)}
          isOpen={canOpen(drawn.section)}
          seats={seats}
        />
      )),
    [shapes, free, matching, seats, canOpen],
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
          patternTransform="rotate(45)"
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

interface BlockProps {
  drawn: HallSection
  path: string
  left: number
  isFaded: boolean
  isOpen: boolean
  seats: HallSeats | null
}

function Block({ drawn: { section, shift }, path, left, isFaded, isOpen, seats }: BlockProps) {
  const own = seats?.sections.get(section.id)
  const share = section.capacity ? left / section.capacity : 0
  const [level] = section.priceLevels
  const color = section.priceLevels.length === 1 && level ? levelColor(level) : {}
  const name = ['block', isOpen && 'open', isFaded && 'faded', left === 0 && 'empty', own && 'seated']
  return (
    <g
      class={name.filter(Boolean).join(' ')}
      data-section={section.id}
      style={{ ...color, '--share': share }}
    >
      <title>{t('map.sectionFree', { section: section.name, free: freeText(left) })}</title>
      {own ? (
        <path class="ground" d={own.rows} stroke-width={own.pitch * GROUND_OF_ROWS} />
      ) : (
        <g transform={shift.x || shift.y ? `translate(${shift.x} ${shift.y})` : undefined}>
          <path class="edge" d={path} stroke-width={2 * (GROUND + EDGE)} />
          <path class="ground" d={path} stroke-width={2 * GROUND} />
        </g>
      )}
      {own && (
        <>
          <path class="through" d={own.rows} stroke-width={own.pitch * 0.7} />
          {[...own.dots].map(([id, dots]) => (
            <path
              key={id}
              class="dots"
              d={dots}
              stroke-width={own.pitch * 0.74}
              style={levelColor(section.priceLevels.find((other) => other.id === id) ?? { color: null })}
            />
          ))}
        </>
      )}
    </g>
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
