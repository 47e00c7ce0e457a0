import type { Camera } from './camera.ts'

/** The share of the map that an arrow key moves. */
const STEP = 0.2
const ZOOM = 1.6

/** Zooms with + and -, shows the whole plan with 0. Returns true where the key did something. */
export function zoomByKey(camera: Camera | null, key: string): boolean {
  if (key === '+' || key === '=') camera?.zoomBy(ZOOM)
  else if (key === '-') camera?.zoomBy(1 / ZOOM)
  else if (key === '0') camera?.showAll()
  else return false
  return true
}

/** Moves a zoomed map with the arrow keys. Returns true where the key did something. */
export function moveByKey(camera: Camera | null, key: string): boolean {
  const view = camera?.view.value
  if (!camera || !view || view.zoom <= 1) return false
  const [dx, dy] = [view.width * STEP, view.height * STEP]
  if (key === 'ArrowLeft') camera.moveBy(dx, 0)
  else if (key === 'ArrowRight') camera.moveBy(-dx, 0)
  else if (key === 'ArrowUp') camera.moveBy(0, dy)
  else if (key === 'ArrowDown') camera.moveBy(0, -dy)
  else return false
  return true
}
