import { effect, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Seat } from '../../../sdk/index.ts'
import { toScreen } from './camera/camera.ts'
import { createSeatCanvas, type SeatCanvas } from './drawing/seatCanvas.ts'
import { readSeatColors, type SeatColors } from './drawing/seatColors.ts'
import { CHOSEN, lookOf } from './drawing/seatStates.ts'
import type { SeatLayerProps } from './SeatSvg.tsx'

/** The seats of a large section on a canvas. The seat that the keys are at is a check box above it. */
export function SeatCanvasLayer(props: SeatLayerProps) {
  const { plan, camera, states, colors, name } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawing = useRef<SeatCanvas | null>(null)
  const palette = useSignal<SeatColors | null>(null)

  useLayoutEffect(() => {
    const host = canvas.current?.parentElement
    if (!canvas.current || !host) return
    drawing.current = createSeatCanvas(canvas.current, plan)
    const read = () => {
      palette.value = readSeatColors(host, colors)
    }
    read()
    const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      matchMedia(query),
    )
    for (const scheme of schemes) scheme.addEventListener('change', read)
    return () => {
      for (const scheme of schemes) scheme.removeEventListener('change', read)
    }
  }, [plan])
  useLayoutEffect(() => {
    const painted = drawing.current?.update(states)
    canvas.current?.setAttribute('data-painted', String(painted))
  }, [plan, states])
  useLayoutEffect(
    () =>
      effect(() => {
        const view = camera.drawn.value
        if (palette.value) drawing.current?.place(view, palette.value)
      }),
    [camera, plan],
  )

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand over a drawing
    <div class="marks" role="group" aria-label={name}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: this canvas takes no focus */}
      <canvas ref={canvas} aria-hidden="true" />
      <Cursor key={props.cursor} {...props} />
    </div>
  )
}

/** A new element for each seat: a screen reader reads the name of what takes the focus. */
function Cursor({ plan, camera, states, cursor, takesFocus, label, onFocus }: SeatLayerProps) {
  const self = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) self.current?.focus({ preventScroll: true })
  }, [])
  const view = camera.drawn.value
  const at = plan.at[cursor]
  if (!at) return null
  const { x, y } = toScreen(view, at)
  const size = plan.pitch * view.scale
  const state = states[cursor] ?? 0
  const isChosen = (state & CHOSEN) !== 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands over a drawing, and the map takes its keys
    <div
      ref={self}
      class="cursor"
      role="checkbox"
      tabIndex={0}
      data-index={cursor}
      aria-checked={isChosen}
      aria-disabled={!isChosen && !['free', 'unknown'].includes(lookOf(state))}
      aria-label={label(plan.seats[cursor] as Seat, state)}
      style={{ left: `${x - size / 2}px`, top: `${y - size / 2}px`, width: `${size}px`, height: `${size}px` }}
      onFocus={() => onFocus(cursor)}
    />
  )
}
