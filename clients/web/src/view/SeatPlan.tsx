import { useMemo, useRef, useState } from 'preact/hooks'
import { AVAILABLE, HELD, NOT_FOR_SALE, type PriceLevel, type Seat, SOLD } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import { boxOf, neighbour, pitchOf } from './geometry.ts'
import { levelColor } from './levelColor.ts'

interface SeatPlanProps {
  /** In index order. */
  seats: readonly Seat[]
  levels: readonly PriceLevel[]
  /** By seat index; null while the statuses are not known. */
  statuses: Uint8Array | null
  /** Seat ids. */
  chosen: readonly string[]
  /** Ids of single seats that the choice would leave. */
  stranded: readonly string[]
  /** Fits the plan to the width, even if the seats get small on a touch screen. */
  whole: boolean
  name: string
  toggle(seat: Seat): void
}

/** A section's seats as one group of check boxes: one tab stop, and arrow keys from seat to seat. */
export function SeatPlan({ seats, levels, statuses, chosen, stranded, whole, name, toggle }: SeatPlanProps) {
  const svg = useRef<SVGSVGElement>(null)
  const pitch = useMemo(() => pitchOf(seats), [seats])
  const box = useMemo(() => boxOf(seats, pitch * 1.6), [seats])
  const levelById = useMemo(() => new Map(levels.map((level) => [level.id, level])), [levels])
  const prices = useMemo(
    () => new Map(levels.map((level) => [level.id, formatter().money(level.total)])),
    [levels],
  )
  const [stop, setStop] = useState<number | null>(null)
  const firstFree = statuses ? statuses.indexOf(AVAILABLE) : 0
  const tabStop = stop ?? Math.max(0, firstFree)

  function press(pressed: KeyboardEvent) {
    if (pressed.key === ' ' || pressed.key === 'Enter') {
      pressed.preventDefault()
      return pick(tabStop)
    }
    const next = neighbour(seats, tabStop, pressed.key)
    if (next === tabStop) return
    pressed.preventDefault()
    setStop(next)
    svg.current?.querySelector<SVGElement>(`[data-index="${next}"]`)?.focus()
  }
  function click(clicked: MouseEvent) {
    const index = (clicked.target as Element).closest('[data-index]')?.getAttribute('data-index')
    if (index == null) return
    setStop(Number(index))
    pick(Number(index))
  }
  function pick(index: number) {
    const seat = seats[index]
    if (!seat) return
    const free = !statuses || statuses[index] === AVAILABLE
    if (free || chosen.includes(seat.id)) toggle(seat)
  }

  return (
    <div
      class={whole ? 'seats whole' : 'seats'}
      style={{ '--across': box.width / pitch, '--down': box.height / pitch }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a drawing */}
      <svg
        ref={svg}
        viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
        role="group"
        aria-label={t('map.seatsOf', { section: name })}
        onKeyDown={press}
        onClick={click}
      >
        <RowNames seats={seats} pitch={pitch} />
        {seats.map((seat, index) => {
          const status = statuses ? statuses[index] : undefined
          const isChosen = chosen.includes(seat.id)
          const isStranded = stranded.includes(seat.id)
          return (
            // biome-ignore lint/a11y/useSemanticElements: an input cannot stand in a drawing
            <g
              key={seat.id}
              data-index={index}
              class={`seat ${isChosen ? 'chosen' : looks(status)}${isStranded ? ' stranded' : ''}`}
              style={levelColor(levelById.get(seat.priceLevelId) ?? { color: null })}
              transform={`translate(${seat.x} ${seat.y}) scale(${pitch})`}
              role="checkbox"
              aria-checked={isChosen}
              aria-disabled={!isChosen && status !== AVAILABLE && status !== undefined}
              aria-label={`${label(seat, prices.get(seat.priceLevelId) ?? '', status, isChosen)}${isStranded ? `, ${t('map.leftAlone')}` : ''}`}
              // SVG needs the attribute in lower case.
              tabindex={index === tabStop ? 0 : -1}
              onFocus={() => setStop(index)}
            >
              <rect class="reach" x="-.5" y="-.5" width="1" height="1" />
              {seat.wheelchair ? (
                <rect class="shape" x="-.4" y="-.4" width=".8" height=".8" rx=".16" />
              ) : (
                <circle class="shape" r=".4" />
              )}
              {isChosen && <path class="tick" d="M-.17 .01L-.04 .14L.19 -.13" />}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function RowNames({ seats, pitch }: { seats: readonly Seat[]; pitch: number }) {
  const first = new Map<string, Seat>()
  for (const seat of seats) {
    const known = first.get(seat.row)
    if (!known || seat.x < known.x) first.set(seat.row, seat)
  }
  const top = [...first.values()].reduce((highest, seat) => (seat.y < highest.y ? seat : highest))
  return (
    <g class="rows" font-size={pitch * 0.44}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a text in a drawing takes no focus */}
      <text aria-hidden="true" x={top.x - pitch * 0.62} y={top.y - pitch * 0.65} font-size={pitch * 0.38}>
        {t('map.row')}
      </text>
      {[...first].map(([row, { x, y }]) => (
        // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a text in a drawing takes no focus
        <text key={row} aria-hidden="true" x={x - pitch * 0.95} y={y + pitch * 0.15}>
          {row}
        </text>
      ))}
    </g>
  )
}

function looks(status: number | undefined): string {
  switch (status) {
    case AVAILABLE:
      return 'free'
    case HELD:
      return 'held'
    case SOLD:
      return 'sold'
    case NOT_FOR_SALE:
      return 'closed'
    default:
      return 'unknown'
  }
}

function label(seat: Seat, price: string, status: number | undefined, isChosen: boolean): string {
  const state = isChosen
    ? t('map.chosen')
    : {
        free: t('map.available'),
        held: t('map.held'),
        sold: t('map.sold'),
        closed: t('map.notForSale'),
        unknown: t('map.unknown'),
      }[looks(status)]
  const kind = seat.wheelchair ? t('map.wheelchair') : seat.companionOf ? t('map.companion') : ''
  return [seatName(seat), kind, price, state].filter(Boolean).join(', ')
}
