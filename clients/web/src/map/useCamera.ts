import { type RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Camera, type CameraOptions, createCamera } from './camera.ts'

/** The camera over an element; null until the element is there. Another box starts it again. */
export function useCamera(element: RefObject<HTMLElement>, { box, mostScale }: CameraOptions): Camera | null {
  const [camera, setCamera] = useState<Camera | null>(null)
  useEffect(() => {
    if (!element.current) return
    const made = createCamera(element.current, { box, mostScale })
    setCamera(made)
    return made.stop
  }, [box, mostScale])
  return camera
}
