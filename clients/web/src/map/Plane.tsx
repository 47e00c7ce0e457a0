import { effect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Camera, carried } from './camera/camera.ts'

/**
 * Holds the picture of a plan. Between two drawings the browser moves and scales the finished picture: that costs a phone
 * a small part of a drawing.
 */
export function Plane({ camera, children }: { camera: Camera; children: ComponentChildren }) {
  const self = useRef<HTMLDivElement>(null)
  useLayoutEffect(
    () =>
      effect(() => {
        const transform = carried(camera.drawn.value, camera.view.value)
        if (self.current) self.current.style.transform = transform
      }),
    [camera],
  )
  return (
    <div ref={self} class="plane">
      {children}
    </div>
  )
}
