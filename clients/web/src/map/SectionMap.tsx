import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PlanArea, PriceLevel, Seat } from '../../../sdk/index.ts'
import { formatter, locale, t } from '../i18n/texts.ts'
import { Areas } from './Areas.tsx'
import { type Camera, toPlan } from './camera/camera.ts'
import { keyStep } from './camera/keySteps.ts'
import { zoomByKey } from './camera/mapKeys.ts'
import { createSeatPick } from './camera/seatPick.ts'
import { useCamera } from './camera/useCamera.ts'
import { isFree } from './drawing/seatStates.ts'
import { runPath } from './geometry/paths.ts'
import type { SectionPlan } from './geometry/sectionPlan.ts'
import { CANVAS_FROM, COMFORTABLE, FINGER, FINGER_REACH, LARGEST, POINTER } from './geometry/sizes.ts'
import { MapControls } from './MapControls.tsx'
import { MiniMap } from './MiniMap.tsx'
import { Plane } from './Plane.tsx'
import { RowLabels } from './RowLabels.tsx'
import { SeatCanvasLayer } from './SeatCanvasLayer.tsx'
import { SeatSvg } from './SeatSvg.tsx'
import { seatLabel } from './words.ts'

export interface SectionMapProps {
  plan: SectionPlan
  levels: readonly PriceLevel[]
  /** By seat index: seatStates.ts. */
  states: Uint8Array
  /** The areas of the whole hall, in plan units. */
  areas: readonly PlanArea[]
  /** The name of what the rows face. */
  stage: string
  name: string
  /** Stands under the map, beside the buttons. */
  children?: ComponentChildren
  /** Chooses a seat or puts it back; does nothing for a seat that the fan may not choose. */
  toggle(seat: Seat): void
}

const DEFAULT_COLOR = '#5b7083'
/** How far a seat that the keys reach stays inside, in pixels. */
const INSIDE = 48
/** Room for the labels of the rows and for the sign of the stage, in rem. */
const PADDING = { x: 1.75, y: 2 }

/** A section's seats, drawn level and with the stage above them. */
export function SectionMap({ plan, areas, stage, levels, states, name, toggle, children }: SectionMapProps) {
  const host = useRef<HTMLDivElement>(null)
  const isLarge = plan.seats.length > CANVAS_FROM
  const options = useMemo(() => {
    const { box, pitch } = plan
    return {
      box,
      mostScale: LARGEST / pitch,
      mostWholeScale: COMFORTABLE / pitch,
      padding: PADDING,
      isAnimated: !isLarge,
    }
  }, [plan])
  const camera = useCamera(host, options)
  const lines = useMemo(() => runPath(plan.at, plan.runs), [plan])
  const pick = useMemo(() => createSeatPick(plan), [plan])
  const colors = useMemo(() => levels.map(({ color }) => color ?? DEFAULT_COLOR), [levels])
  const prices = useMemo(
    () => new Map(levels.map(({ id, total }) => [id, formatter().money(total)])),
    [levels],
  )
  const [cursor, setCursor] = useState({ seat: -1, byKey: false })
  const pointer = useRef('mouse')
  const stop = cursor.seat >= 0 ? cursor.seat : Math.max(0, states.findIndex(isFree))

  useEffect(() => {
    const at = plan.at[cursor.seat]
    if (cursor.byKey && at) camera?.reveal(at, INSIDE)
  }, [cursor, camera])

  function choose(index: number) {
    const seat = plan.seats[index]
    if (seat) toggle(seat)
  }
  function press(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target as Element).closest('.marks')) return
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      return choose(stop)
    }
    if (zoomByKey(camera, event.key)) return event.preventDefault()
    const next = keyStep(plan, stop, event.key)
    if (next === stop) return
    event.preventDefault()
    setCursor({ seat: next, byKey: true })
  }
  function click(event: MouseEvent) {
    if (!camera || !host.current || (event.target as Element).closest('button')) return
    const { left, top } = host.current.getBoundingClientRect()
    const pixel = { x: event.clientX - left, y: event.clientY - top }
    // A screen reader's click names the seat and may have no position.
    const named = (event.target as Element).closest('[data-index]')?.getAttribute('data-index')
    const view = camera.view.value
    const size = plan.pitch * view.scale
    const isFinger = pointer.current !== 'mouse'
    const found =
      pick(toPlan(view, pixel), isFinger ? Math.min(1, FINGER_REACH / size) : undefined) ??
      (named == null ? null : Number(named))
    const isTooSmall = size < (isFinger ? FINGER : POINTER) && view.zoom < view.mostZoom
    if (isTooSmall && event.detail > 0) return camera.zoomBy(COMFORTABLE / size, pixel)
    if (found === null) return
    setCursor({ seat: found, byKey: false })
    choose(found)
  }

  const Layer = isLarge ? SeatCanvasLayer : SeatSvg
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the check boxes in it have the roles and take the keys */}
      <div
        ref={host}
        class="seats map"
        style={{ '--shape': plan.box.width / plan.box.height, '--down': plan.box.height / plan.pitch }}
        onPointerDown={(event) => (pointer.current = event.pointerType || 'mouse')}
        onClick={click}
        onKeyDown={press}
      >
        {camera && (
          <>
            <Plane camera={camera}>
              <Ground plan={plan} camera={camera} areas={areas} />
              <Layer
                key={locale().tag}
                plan={plan}
                camera={camera}
                states={states}
                colors={colors}
                name={t('map.seatsOf', { section: name })}
                label={(seat, state) => seatLabel(seat, prices.get(seat.priceLevelId) ?? '', state)}
                cursor={stop}
                takesFocus={cursor.byKey}
                onFocus={(seat) => cursor.seat !== seat && setCursor({ seat, byKey: false })}
              />
              {!isLarge && <RowLabels plan={plan} camera={camera} />}
            </Plane>
            {plan.stage !== null && <StageSign direction={plan.stage} name={stage} camera={camera} />}
            <MiniMap box={plan.box} camera={camera}>
              <path class="lines" d={lines} stroke-width={plan.pitch * 0.6} />
            </MiniMap>
          </>
        )}
      </div>
      <div class="mapfoot">
        {children}
        {camera && <MapControls camera={camera} whole={t('map.wholeSection')} />}
      </div>
    </>
  )
}

/** The areas of the plan under the seats, turned like them. */
function Ground({ plan, camera, areas }: { plan: SectionPlan; camera: Camera; areas: readonly PlanArea[] }) {
  const { scale, left, top } = camera.drawn.value
  const turn = (plan.angle * 180) / Math.PI
  // The sign names the stage; the rest of the plan, such as tables, stands among the seats.
  const among = areas.filter(({ feature }) => feature === null)
  if (among.length === 0) return null
  return (
    <svg class="under" aria-hidden="true">
      <g transform={`translate(${left} ${top}) scale(${scale}) rotate(${turn})`}>
        <Areas areas={among} turn={turn} />
      </g>
    </svg>
  )
}

/** Says where the stage is, while the whole section is in sight. `direction`: in radians, clockwise from straight up. */
function StageSign({ direction, name, camera }: { direction: number; name: string; camera: Camera }) {
  if (camera.drawn.value.zoom > 1) return null
  return (
    <p class="stage">
      <svg viewBox="-8 -8 16 16" aria-hidden="true" style={{ transform: `rotate(${direction}rad)` }}>
        <path d="M0 6V-5M-4 -1L0 -5L4 -1" />
      </svg>
      {name}
    </p>
  )
}
