import type { ComponentChildren } from 'preact'
import { type Camera, toPlan } from './camera/camera.ts'
import type { Box } from './geometry/box.ts'
import { INSET_REM, SHOWN_FROM, SIDE } from './geometry/miniMapBox.ts'

/** The whole plan, small, with a frame around the part in sight. Only while the map is zoomed in. A press moves there. */
export function MiniMap({
  box,
  camera,
  children,
}: {
  box: Box
  camera: Camera
  children: ComponentChildren
}) {
  const view = camera.view.value
  if (view.zoom <= SHOWN_FROM) return null
  const scale = SIDE / Math.max(box.width, box.height)
  const [from, to] = [toPlan(view, { x: 0, y: 0 }), toPlan(view, { x: view.width, y: view.height })]
  function move(event: PointerEvent) {
    if (event.buttons === 0) return
    event.stopPropagation()
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect()
    const point = { x: (event.clientX - left) / scale + box.x, y: (event.clientY - top) / scale + box.y }
    camera.zoomTo(point, view.scale)
  }
  return (
    <div
      class="minimap"
      aria-hidden="true"
      style={{ inset: `auto ${INSET_REM}rem ${INSET_REM}rem auto` }}
      onPointerDown={move}
      onPointerMove={move}
      onMouseDown={(event) => event.stopPropagation()}
      onClick={(event) => event.stopPropagation()}
    >
      <svg
        aria-hidden="true"
        width={box.width * scale}
        height={box.height * scale}
        viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
      >
        {children}
      </svg>
      <span
        class="frame"
        style={{
          width: `${(to.x - from.x) * scale}px`,
          height: `${(to.y - from.y) * scale}px`,
          transform: `translate(${(from.x - box.x) * scale}px, ${(from.y - box.y) * scale}px)`,
        }}
      />
    </div>
  )
}
