import type { Seat } from '../../../../sdk/index.ts'
import type { View } from '../camera/camera.ts'
import type { SectionPlan } from '../geometry/sectionPlan.ts'
import { CHOSEN, changedSeats, FADED, lookOf, STRANDED } from './seatStates.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** The seats of a section as check boxes in an SVG group. Only a seat whose state changes is touched. */
export interface SeatMarks {
  update(states: Uint8Array, label: (seat: Seat, state: number) => string): void
  /** Shows the numbers of the seats, in `inks` by price level, or hides them. */
  number(inks: readonly string[] | null): void
  place(view: View): void
  /** Makes a seat the group's tab stop. */
  stopAt(index: number): void
  focus(index: number): void
}

/** Fills an empty group. `colors`: of the price levels, by index. */
export function createSeatMarks(group: SVGGElement, plan: SectionPlan, colors: readonly string[]): SeatMarks {
  const marks = plan.seats.map((seat, i) => markOf(seat, i, plan, colors))
  group.replaceChildren(...marks)
  let last: Uint8Array | null = null
  let tabStop = -1
  let numbered = false

  return {
    update(states, label) {
      for (const i of changedSeats(last, states)) {
        const [mark, state] = [marks[i] as SVGGElement, states[i] as number]
        const isChosen = (state & CHOSEN) !== 0
        mark.setAttribute('class', classOf(state))
        mark.setAttribute('aria-checked', String(isChosen))
        mark.setAttribute('aria-disabled', String(!isChosen && !['free', 'unknown'].includes(lookOf(state))))
        mark.setAttribute('aria-label', label(plan.seats[i] as Seat, state))
      }
      last = states
    },
    number(inks) {
      if (inks && !numbered) {
        for (const [i, mark] of marks.entries())
          mark.append(numberOf(plan.seats[i] as Seat, plan.levels[i] ?? 0))
        numbered = true
      }
      for (const [level, ink] of inks?.entries() ?? []) group.style.setProperty(`--ink-${level}`, ink)
      group.classList.toggle('numbered', inks !== null)
    },
    place({ scale, left, top }) {
      group.setAttribute('transform', `translate(${left} ${top}) scale(${scale})`)
    },
    stopAt(index) {
      marks[tabStop]?.setAttribute('tabindex', '-1')
      marks[index]?.setAttribute('tabindex', '0')
      tabStop = index
    },
    focus(index) {
      marks[index]?.focus({ preventScroll: true })
    },
  }
}

function classOf(state: number): string {
  const look = state & CHOSEN ? 'chosen' : lookOf(state)
  return `seat ${look}${state & STRANDED ? ' stranded' : ''}${state & FADED ? ' faded' : ''}`
}

function markOf(seat: Seat, i: number, { at, pitch, levels }: SectionPlan, colors: readonly string[]) {
  const { x, y } = at[i] as { x: number; y: number }
  const mark = element('g', {
    'data-index': i,
    role: 'checkbox',
    tabindex: -1,
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${pitch})`,
  })
  mark.style.setProperty('--level', colors[levels[i] ?? 0] ?? '')
  mark.append(
    element('rect', { class: 'reach', x: -0.5, y: -0.5, width: 1, height: 1 }),
    seat.wheelchair
      ? element('rect', { class: 'shape', x: -0.4, y: -0.4, width: 0.8, height: 0.8, rx: 0.16 })
      : element('circle', { class: 'shape', r: 0.4 }),
    element('path', { class: 'tick', d: 'M-.17 .01L-.04 .14L.19 -.13' }),
  )
  return mark
}

function numberOf(seat: Seat, level: number) {
  const text = element('text', { class: 'number', y: 0.12, 'aria-hidden': 'true' })
  text.style.setProperty('--on-level', `var(--ink-${level})`)
  text.textContent = seat.number
  return text
}

function element<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
) {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}
