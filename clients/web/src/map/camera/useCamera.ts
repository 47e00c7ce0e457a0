import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Camera, type CameraOptions, createCamera } from './camera.ts'

/** The camera over an element; null until the element is there. Other options start it again. */
export function useCamera(element: RefObject<HTMLElement | null>, options: CameraOptions): Camera | null {
  const [camera, setCamera] = useState<Camera | null>(null)
  useEffect(() => {
    if (!element.current) return
    const made = createCamera(element.current, options)
    setCamera(made)
    return made.stop
  }, [options])
  return camera
}
