import { useMemo, useRef } from 'preact/hooks'
import type { Sale, Section } from '../../../sdk/index.ts'
import { formatter, locale, t } from '../i18n/texts.ts'
import { FilterBar } from '../map/FilterBar.tsx'
import { isAnything, mayMatch, wanted } from '../map/filters.ts'
import { useHallPlan, useMap } from '../map/useMap.ts'
import { freeSeatsText } from '../map/words.ts'
import type { Page } from '../model/page.ts'
import { priceLevelsOf } from '../model/priceLevels.ts'
import { levelColor } from './levelColor.ts'

/** A longer list is compact, and scrolls in itself. */
const MANY = 24

interface HallProps {
  page: Page
  title: string
  /** Makes the sections buttons; without it they are only shown. */
  open?: (section: Section) => void
}

/** The hall: its map, and the list of every section with its free seats. */
export function Hall({ page, title, open }: HallProps) {
  const event = page.event.value
  const sale = page.sale.value
  const map = useMap()
  const plan = useHallPlan(page)
  const { levels, wheelchair, together } = wanted()
  const free = useFree(sale)
  const matching = useMemo(() => {
    const looksFor = { levels, wheelchair, together }
    if (!open || isAnything(looksFor)) return null
    const wheelchairs = new Map(plan?.sections.map(({ id, wheelchairSeats }) => [id, wheelchairSeats]))
    const found = event?.sections.filter((section) =>
      mayMatch(looksFor, section, free.get(section.id) ?? 0, wheelchairs.get(section.id) ?? 0),
    )
    return new Set(found?.map(({ id }) => id))
  }, [levels, wheelchair, together, plan, event, free])
  if (!event || !sale) return null
  const sections = matching ? event.sections.filter(({ id }) => matching.has(id)) : event.sections
  return (
    <section class="hall">
      {open ? <h1 tabIndex={-1}>{title}</h1> : <h2>{title}</h2>}
      {open && (
        <FilterBar
          levels={priceLevelsOf(event.sections)}
          hasWheelchairSeats={plan?.sections.some(({ wheelchairSeats }) => wheelchairSeats > 0) ?? false}
          ticketsLeft={sale.ticketLimit}
          result={t('map.matchingSections', { count: sections.length })}
        />
      )}
      {map && plan ? (
        <map.HallFigure {...{ page, event, plan, free, matching, open }} />
      ) : (
        plan !== null && <div class="plan ghost" aria-busy="true" />
      )}
      <ul class={event.sections.length > MANY ? 'sections many' : 'sections'} aria-label={t('map.sections')}>
        {sections.map((section) => (
          <li key={section.id}>
            <SectionCard section={section} free={free.get(section.id)} open={open} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The free seats by section: the same map until a count changes, because most news of a sale changes none. */
function useFree(sale: Sale | null): ReadonlyMap<string, number> {
  const known = useRef<ReadonlyMap<string, number>>(new Map())
  const sections = sale?.sections ?? []
  if (sections.some(({ sectionId, available }) => known.current.get(sectionId) !== available))
    known.current = new Map(sections.map(({ sectionId, available }) => [sectionId, available]))
  return known.current
}

interface SectionCardProps {
  section: Section
  free: number | undefined
  open?: (section: Section) => void
}

/** Compared again only where its own count changes: a stadium has a hundred of them. */
function SectionCard({ section, free, open }: SectionCardProps) {
  return useMemo(() => card({ section, free, open }), [section, free, open, locale()])
}

function card({ section, free, open }: SectionCardProps) {
  const content = (
    <>
      <span class="name">{section.name}</span>
      <span class="levels">
        {priceLevelsOf([section]).map((level) => (
          <span key={level.id} style={levelColor(level)}>
            <span class="swatch" /> {formatter().money(level.total)}
          </span>
        ))}
      </span>
      <span class="free">{free === undefined ? '' : freeSeatsText(free)}</span>
      <span class="gauge" style={{ '--share': (free ?? 0) / section.capacity }} />
    </>
  )
  if (!open) return <div class="card">{content}</div>
  return (
    <button type="button" class="card" onClick={() => open(section)}>
      {content}
    </button>
  )
}
