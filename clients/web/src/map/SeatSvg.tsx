import { effect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Seat } from '../../../sdk/index.ts'
import type { Camera } from './camera/camera.ts'
import { readSeatColors } from './drawing/seatColors.ts'
import { createSeatMarks, type SeatMarks } from './drawing/seatMarks.ts'
import type { SectionPlan } from './geometry/sectionPlan.ts'
import { NUMBERS_FROM } from './geometry/sizes.ts'

export interface SeatLayerProps {
  plan: SectionPlan
  camera: Camera
  states: Uint8Array
  /** The CSS colours of the section's price levels. */
  colors: readonly string[]
  name: string
  label(seat: Seat, state: number): string
  /** The seat that the keys are at. */
  cursor: number
  /** True where the cursor was moved by a key: the seat takes the focus. */
  takesFocus: boolean
  onFocus(index: number): void
}

/** The seats of a section as one group of check boxes: one tab stop, and arrow keys from seat to seat. */
export function SeatSvg({
  plan,
  camera,
  states,
  colors,
  name,
  label,
  cursor,
  takesFocus,
  onFocus,
}: SeatLayerProps) {
  const group = useRef<SVGGElement>(null)
  const marks = useRef<SeatMarks | null>(null)
  const numbered = useRef(false)
  useLayoutEffect(() => {
    if (group.current) marks.current = createSeatMarks(group.current, plan, colors)
  }, [plan])
  useLayoutEffect(() => marks.current?.update(states, label), [plan, states])
  useLayoutEffect(() => marks.current?.stopAt(cursor), [plan, cursor])
  useEffect(() => {
    if (takesFocus) marks.current?.focus(cursor)
  }, [cursor, takesFocus])
  useLayoutEffect(() => {
    numbered.current = false
    return effect(() => {
      const view = camera.drawn.value
      marks.current?.place(view)
      const isNumbered = view.scale * plan.pitch >= NUMBERS_FROM
      if (isNumbered === numbered.current) return
      numbered.current = isNumbered
      const host = group.current?.ownerSVGElement?.parentElement
      const inks = isNumbered && host ? readSeatColors(host, colors).levels.map(({ ink }) => ink) : null
      marks.current?.number(inks)
    })
  }, [camera, plan])
  // The marks are no children of Preact's: it would compare each of them at every change.
  return useMemo(
    () => (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a drawing
      <svg
        class="marks"
        role="group"
        aria-label={name}
        onFocusIn={(event) => {
          const index = (event.target as Element).closest('[data-index]')?.getAttribute('data-index')
          if (index) onFocus(Number(index))
        }}
      >
        <g ref={group} />
      </svg>
    ),
    [name, plan],
  )
}
