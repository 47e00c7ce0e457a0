import { useMemo } from 'preact/hooks'
import { locale, t } from '../i18n/texts.ts'
import { levelColor } from '../view/levelColor.ts'
import type { HallSection } from './geometry/hallPlan.ts'
import type { HallSeats } from './geometry/hallSeats.ts'
import { freeText } from './words.ts'

/** How far a ground reaches beyond the middles of its outer seats, and its edge beyond it, in plan units. */
export const GROUND = 14
const EDGE = 6
/** The width of the ground along a row, in distances between neighbours: the grounds of two rows touch. */
const GROUND_OF_ROWS = 2.5

interface HallBlockProps {
  drawn: HallSection
  path: string
  left: number
  isFaded: boolean
  isOpen: boolean
  seats: HallSeats | null
}

/** One section of the hall: its ground in the strength of its free seats, and the seats of a small hall. */
export function HallBlock(props: HallBlockProps) {
  const { drawn, path, left, isFaded, isOpen, seats } = props
  // Compared again only where something of its own changes: a stadium has a hundred of them.
  return useMemo(() => block(props), [drawn, path, left, isFaded, isOpen, seats, locale()])
}

function block({ drawn: { section, shift }, path, left, isFaded, isOpen, seats }: HallBlockProps) {
  const own = seats?.sections.get(section.id)
  const share = section.capacity ? left / section.capacity : 0
  const [level] = section.priceLevels
  const color = section.priceLevels.length === 1 && level ? levelColor(level) : {}
  const name = ['block', isOpen && 'open', isFaded && 'faded', left === 0 && 'empty', own && 'seated']
  return (
    <g
      class={name.filter(Boolean).join(' ')}
      data-section={section.id}
      style={{ ...color, '--share': share }}
    >
      <title>{t('map.sectionFree', { section: section.name, free: freeText(left) })}</title>
      {own ? (
        <path class="ground" d={own.rows} stroke-width={own.pitch * GROUND_OF_ROWS} />
      ) : (
        <g transform={shift.x || shift.y ? `translate(${shift.x} ${shift.y})` : undefined}>
          <path class="edge" d={path} stroke-width={2 * (GROUND + EDGE)} />
          <path class="ground" d={path} stroke-width={2 * GROUND} />
        </g>
      )}
      {own && (
        <>
          <path class="through" d={own.rows} stroke-width={own.pitch * 0.7} />
          {[...own.dots].map(([id, dots]) => (
            <path
              key={id}
              class="dots"
              d={dots}
              stroke-width={own.pitch * 0.74}
              style={levelColor(section.priceLevels.find((other) => other.id === id) ?? { color: null })}
            />
          ))}
        </>
      )}
    </g>
  )
}
