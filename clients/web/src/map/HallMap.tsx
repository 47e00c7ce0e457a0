import { useMemo, useRef } from 'preact/hooks'
import type { EventPage, Section } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { moveByKey, zoomByKey } from './camera/mapKeys.ts'
import { useCamera } from './camera/useCamera.ts'
import { isLarge } from './geometry/hallPlan.ts'
import { drawsSeats, useHallSeats } from './geometry/hallSeats.ts'
import { outlinePath } from './geometry/paths.ts'
import { FINGER } from './geometry/sizes.ts'
import { GROUND } from './HallBlock.tsx'
import { type HallNow, HallPicture } from './HallPicture.tsx'
import { MapControls } from './MapControls.tsx'
import { MiniMap } from './MiniMap.tsx'
import { Plane } from './Plane.tsx'

export interface HallMapProps extends HallNow {
  page: Page
  event: EventPage
  /** Opens a section; without it the sections are only shown. */
  open?: (section: Section) => void
}

/** The largest scale, in pixels for a plan unit: neighbours 25 units apart are as large as a finger. */
const MOST_SCALE = 1.1
/** How far a tap on a small section zooms in. */
const TAP_ZOOM = 2.6
/** Room for the labels of the outer sections, in rem. */
const PADDING = { x: 0.75, y: 2.25 }
const NO_LABELS_OUTSIDE = { x: 0.75, y: 0.75 }

/** The hall from above. Hidden from screen readers: the list beside it has the same sections. */
export function HallMap({ page, event, drawing, free, matching, open }: HallMapProps) {
  const host = useRef<HTMLDivElement>(null)
  const options = useMemo(
    () => ({
      box: drawing.box,
      mostScale: MOST_SCALE,
      mostWholeScale: MOST_SCALE,
      padding: drawsSeats(drawing) ? PADDING : NO_LABELS_OUTSIDE,
      isAnimated: !isLarge(drawing),
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
    open?.(drawn.section)
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
            <Plane camera={camera}>
              <HallPicture
                {...{ camera, drawing, free, matching, seats, isOpen: open !== undefined }}
                chosen={page.choice.chosen.value}
              />
            </Plane>
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
        <p class="faint">
          {t(drawing.isSpread ? 'map.sideBySide' : seats ? 'map.palerSections' : 'map.moreFree')}
        </p>
        {camera && <MapControls camera={camera} whole={t('map.wholeHall')} />}
      </div>
    </>
  )
}
