import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { EventPage, Seat, Section } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { pitchOf } from './geometry.ts'
import { levelColor } from './levelColor.ts'

/** A larger plan is not drawn: it would be too slow on a phone. */
const SEATS_AT_MOST = 6_000

interface HallPlanProps {
  page: Page
  event: EventPage
  free: ReadonlyMap<string, number>
  open?: (section: Section) => void
}

/** Draws the hall from above, each row as a line. Hidden from screen readers: the list beside it has the same content. */
export function HallPlan({ page, event, free, open }: HallPlanProps) {
  const rows = useSignal<readonly { section: Section; rows: Row[] }[]>([])
  const seated = event.sections.filter(({ kind }) => kind === 'SEATED')
  const drawn = seated.reduce((total, { capacity }) => total + capacity, 0) <= SEATS_AT_MOST

  useEffect(() => {
    if (!drawn) return
    void Promise.all(
      seated.map(async (section) => ({
        section,
        rows: toRows(await page.fairgate.seatMap.layout(event.id, section)),
      })),
    ).then(
      (all) => {
        rows.value = all
      },
      () => undefined,
    )
  }, [event.id])

  const points = rows.value.flatMap(({ rows }) => rows.flatMap(({ from, to }) => [from, to]))
  if (points.length === 0) return null
  const box = bounds(points, 45)
  const text = Math.max(box.width / 31, 30)
  return (
    <svg class="plan" viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`} aria-hidden="true">
      {rows.value.map(({ section, rows }) => {
        const own = bounds(
          rows.flatMap(({ from, to }) => [from, to]),
          22,
        )
        const left = free.get(section.id) ?? 0
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: hidden from assistive technology; the list has the buttons
          <g
            key={section.id}
            class={open ? 'block open' : 'block'}
            style={{ '--share': section.capacity ? left / section.capacity : 0 }}
            onClick={() => open?.(section)}
          >
            <rect class="ground" x={own.x} y={own.y} width={own.width} height={own.height} rx="14" />
            {rows.map(({ key, from, to, levelId }) => (
              <line
                key={key}
                x1={from.x}
                y1={from.y}
                x2={to.x}
                y2={to.y}
                style={levelColor(section.priceLevels.find(({ id }) => id === levelId) ?? { color: null })}
              />
            ))}
            <Plate
              x={own.x + own.width / 2}
              y={own.y + own.height / 2}
              size={text}
              name={section.name}
              left={left === 0 ? t('map.noneFree') : t('map.freeNumber', { count: left })}
            />
          </g>
        )
      })}
    </svg>
  )
}

interface PlateProps {
  x: number
  y: number
  size: number
  name: string
  left: string
}

function Plate({ x, y, size, name, left }: PlateProps) {
  // The factors are the average width of a letter relative to its height, in the page's typeface.
  const width = Math.max(name.length * 0.68, left.length * 0.46) * size + size
  return (
    <>
      <rect
        class="plate"
        x={x - width / 2}
        y={y - size * 1.25}
        width={width}
        height={size * 2.5}
        rx={size * 0.35}
      />
      <text x={x} y={y - size * 0.12} font-size={size}>
        {name}
      </text>
      <text class="left" x={x} y={y + size * 0.85} font-size={size * 0.78}>
        {left}
      </text>
    </>
  )
}

interface Row {
  key: string
  from: { x: number; y: number }
  to: { x: number; y: number }
  levelId: string
}

/** Groups seats into runs of one row and one price without an aisle between them. */
function toRows(seats: readonly Seat[]): Row[] {
  const rows: Row[] = []
  const aisle = pitchOf(seats) * 1.6
  let last: Seat | undefined
  for (const seat of seats) {
    const row = rows.at(-1)
    const joins = last?.row === seat.row && Math.hypot(seat.x - last.x, seat.y - last.y) < aisle
    if (row && joins && row.levelId === seat.priceLevelId) row.to = seat
    else rows.push({ key: seat.id, from: seat, to: seat, levelId: seat.priceLevelId })
    last = seat
  }
  return rows
}

function bounds(points: readonly { x: number; y: number }[], margin: number) {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const x = Math.min(...xs) - margin
  const y = Math.min(...ys) - margin
  return { x, y, width: Math.max(...xs) + margin - x, height: Math.max(...ys) + margin - y }
}
