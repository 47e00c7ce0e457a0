import type { Sale, Section } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { HallPlan } from './HallPlan.tsx'
import { levelColor } from './levelColor.ts'

/** Lists every section with its free seats. `open` makes the sections buttons; without it they are only shown. */
export function Hall({
  page,
  title,
  open,
}: {
  page: Page
  title: string
  open?: (section: Section) => void
}) {
  const event = page.event.value
  const sale = page.sale.value
  if (!event || !sale) return null
  const free = new Map(sale.sections.map(({ sectionId, available }) => [sectionId, available]))
  return (
    <section class="hall">
      {open ? <h1 tabIndex={-1}>{title}</h1> : <h2>{title}</h2>}
      <HallPlan page={page} event={event} free={free} open={open} />
      <ul class="sections">
        {event.sections.map((section) => (
          <li key={section.id}>
            <SectionCard section={section} free={free.get(section.id)} sale={sale} open={open} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface SectionCardProps {
  section: Section
  free: number | undefined
  sale: Sale
  open?: (section: Section) => void
}

function SectionCard({ section, free, sale, open }: SectionCardProps) {
  const picks = section.kind === 'SEATED' && sale.seatPicking
  const content = (
    <>
      <span class="name">{section.name}</span>
      <span class="levels">
        {section.priceLevels.map((level) => (
          <span key={level.id} style={levelColor(level)}>
            <span class="swatch" /> {formatter().money(level.total)}
          </span>
        ))}
      </span>
      <span class="free">
        {free === undefined ? '' : free === 0 ? t('map.noneFreeNow') : t('map.freeSeats', { count: free })}
        {open && !picks && ` · ${t('map.notPickable')}`}
      </span>
      <span class="gauge" style={{ '--share': (free ?? 0) / section.capacity }} />
    </>
  )
  if (!open || !picks) return <div class="card">{content}</div>
  return (
    <button type="button" class="card" onClick={() => open(section)}>
      {content}
    </button>
  )
}
