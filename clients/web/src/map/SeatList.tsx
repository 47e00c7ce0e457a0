import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { PriceLevel, Seat } from '../../../sdk/index.ts'
import { formatter, locale, t } from '../i18n/texts.ts'
import { levelColor } from '../view/levelColor.ts'
import { stepInRow } from './camera/keySteps.ts'
import { CHOSEN, FADED, isFree, lookOf } from './drawing/seatStates.ts'
import type { SectionPlan } from './geometry/sectionPlan.ts'
import { freeText, rowName, seatLabel } from './words.ts'

interface SeatListProps {
  plan: SectionPlan
  levels: readonly PriceLevel[]
  states: Uint8Array
  toggle(seat: Seat): void
}

/** The section row by row: the map's twin for the keyboard and for screen readers. Only open rows have elements. */
export function SeatList({ plan, levels, states, toggle }: SeatListProps) {
  const open = useSignal<ReadonlySet<number>>(new Set())
  const levelById = useMemo(() => new Map(levels.map((level) => [level.id, level])), [levels])

  function turn(row: number, isOpen: boolean) {
    const next = new Set(open.value)
    if (isOpen) next.add(row)
    else next.delete(row)
    open.value = next
  }

  return (
    <section class="seatlist" aria-label={t('map.seatsByRow')}>
      <h2>{t('map.seatsByRow')}</h2>
      <ul>
        {plan.rows.map(({ label, name, seats }, row) => {
          const free = seats.filter((i) => ['free', 'unknown'].includes(lookOf(states[i] ?? 0))).length
          const isOpen = open.value.has(row)
          return (
            <li key={row} class={isOpen ? 'open' : ''}>
              <button
                type="button"
                class="rowbutton"
                aria-expanded={isOpen}
                onClick={() => turn(row, !isOpen)}
              >
                <span>{name ?? rowName(label)}</span>
                <span class="free">{freeText(free)}</span>
              </button>
              {isOpen && (
                <RowSeats
                  name={name ?? rowName(label)}
                  seats={seats.map((i) => ({ seat: plan.seats[i] as Seat, state: states[i] ?? 0 }))}
                  levels={levelById}
                  toggle={toggle}
                />
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

interface RowSeatsProps {
  name: string
  seats: readonly { seat: Seat; state: number }[]
  /** By id. */
  levels: ReadonlyMap<string, PriceLevel>
  toggle(seat: Seat): void
}

/** The seats of an open row: one tab stop, and keys that move from seat to seat. */
function RowSeats({ name, seats, levels, toggle }: RowSeatsProps) {
  const self = useRef<HTMLDivElement>(null)
  const stop = useSignal(
    Math.max(
      0,
      seats.findIndex(({ state }) => isFree(state)),
    ),
  )
  function press(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const next = stepInRow(event.key, stop.value, seats.length, locale().direction)
    if (next === null) return
    event.preventDefault()
    self.current?.querySelectorAll('input')[next]?.focus()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend would repeat the button
    <div ref={self} class="rowseats" role="group" aria-label={name} onKeyDown={press}>
      {seats.map(({ seat, state }, i) => (
        <SeatBox
          key={seat.id}
          seat={seat}
          level={levels.get(seat.priceLevelId)}
          state={state}
          isStop={i === stop.value}
          toggle={toggle}
          onFocus={() => {
            stop.value = i
          }}
        />
      ))}
    </div>
  )
}

interface SeatBoxProps {
  seat: Seat
  level: PriceLevel | undefined
  state: number
  /** True for the tab stop of the row. */
  isStop: boolean
  toggle(seat: Seat): void
  onFocus(): void
}

function SeatBox({ seat, level, state, isStop, toggle, onFocus }: SeatBoxProps) {
  const isChosen = (state & CHOSEN) !== 0
  const look = lookOf(state)
  const isTaken = !isChosen && look !== 'free' && look !== 'unknown'
  return (
    <label
      class={`seatbox ${isChosen ? 'chosen' : look}${state & FADED ? ' faded' : ''}`}
      style={levelColor(level ?? { color: null })}
    >
      <input
        type="checkbox"
        checked={isChosen}
        tabIndex={isStop ? 0 : -1}
        onFocus={onFocus}
        // Not "disabled": a taken seat keeps its place in the order of the keyboard.
        aria-disabled={isTaken}
        aria-label={seatLabel(seat, level?.onSale ? formatter().money(level.total) : '', state)}
        onChange={({ currentTarget }) => {
          // The choice decides, not the box: another seat may be one too many.
          currentTarget.checked = isChosen
          if (!isTaken) toggle(seat)
        }}
      />
      <span aria-hidden="true">{seat.number}</span>
    </label>
  )
}
