import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Hold, Seat } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'

/** The section of the held seats from above, and where they are in it. Nothing for places without seats. */
export function Miniature({ page, hold }: { page: Page; hold: Hold }) {
  const seats = useSignal<readonly Seat[]>([])
  const first = hold.items.find(({ seat }) => seat)
  const section = page.event.value?.sections.find(({ id }) => id === first?.section.id)
  useEffect(() => {
    seats.value = []
    if (!section) return
    page.fairgate.seatMap.layout(page.event.value?.id ?? '', section).then(
      (layout) => {
        seats.value = layout
      },
      () => undefined,
    )
  }, [section?.id])
  if (!section) return null
  const own = new Set(hold.items.map(({ seat }) => seat?.id))
  const { box, dot } = frameOf(seats.value)
  const dots = (shown: readonly Seat[]) => shown.map(({ x, y }) => `M${x} ${y}h0`).join('')
  return (
    <svg
      class="miniature"
      viewBox={box}
      role="img"
      aria-label={t('buy.yourSeats', { section: section.name })}
    >
      <path class="others" d={dots(seats.value.filter(({ id }) => !own.has(id)))} stroke-width={dot} />
      <path class="own ring" d={dots(seats.value.filter(({ id }) => own.has(id)))} stroke-width={dot * 3} />
      <path class="own" d={dots(seats.value.filter(({ id }) => own.has(id)))} stroke-width={dot * 1.6} />
    </svg>
  )
}

function frameOf(seats: readonly Seat[]): { box: string; dot: number } {
  const [first] = seats
  if (!first) return { box: '0 0 4 1', dot: 0 }
  let [left, top, right, bottom] = [first.x, first.y, first.x, first.y]
  const gaps: number[] = []
  let before: Seat | undefined
  for (const seat of seats) {
    left = Math.min(left, seat.x)
    right = Math.max(right, seat.x)
    top = Math.min(top, seat.y)
    bottom = Math.max(bottom, seat.y)
    if (before?.row === seat.row) gaps.push(Math.hypot(seat.x - before.x, seat.y - before.y))
    before = seat
  }
  gaps.sort((a, b) => a - b)
  const pitch = gaps[Math.floor(gaps.length / 2)] || 25
  const margin = pitch * 1.5
  return {
    box: `${left - margin} ${top - margin} ${right - left + 2 * margin} ${bottom - top + 2 * margin}`,
    dot: pitch * 0.62,
  }
}
