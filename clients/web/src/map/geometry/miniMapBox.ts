import type { View } from '../camera/camera.ts'
import type { Box } from './box.ts'

/** The longer side, in pixels. */
export const SIDE = 84
/** From the right and the lower edge of the map, in rem: the labels of the rows are at the left one. */
export const INSET_REM = 0.6
/** It is shown from this zoom on. */
export const SHOWN_FROM = 1.05

/** The part of the map that the small one covers, in pixels; null where it is not shown. */
export function miniMapBox(box: Box, { zoom, width, height }: View, rem: number): Box | null {
  if (zoom <= SHOWN_FROM) return null
  const scale = SIDE / Math.max(box.width, box.height)
  const [own, high] = [box.width * scale, box.height * scale]
  return { x: width - own - INSET_REM * rem, y: height - high - INSET_REM * rem, width: own, height: high }
}
