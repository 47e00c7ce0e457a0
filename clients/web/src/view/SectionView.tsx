import { useEffect, useRef } from 'preact/hooks'
import type { Section } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import { useHallPlan, useMap } from '../map/useMap.ts'
import { freeSeatsText } from '../map/words.ts'
import type { Page } from '../model/page.ts'

/** One section: its live seats on the map and as a list. */
export function SectionView({ page, section, back }: { page: Page; section: Section; back: () => void }) {
  const { choice } = page
  const map = useMap()
  const plan = useHallPlan(page)
  const layout = choice.layout.value
  const now = choice.now.value
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [section.id])
  return (
    <section class="section">
      <button type="button" class="quiet back" onClick={back}>
        <span aria-hidden="true" class="arrow" />
        {t('map.allSections')}
      </button>
      <div class="row head">
        <h1 ref={heading} tabIndex={-1}>
          {section.name}
        </h1>
        <p class="free">{now ? freeSeatsText(now.available) : t('map.loading')}</p>
      </div>
      {now?.statuses === null && <p class="notice news">{t('map.countsOnly')}</p>}
      {map && layout && now && plan !== undefined ? (
        <map.SectionFigure key={section.id} {...{ page, section, layout, now, plan }} />
      ) : (
        <div class="seats ghost" aria-busy="true" />
      )}
    </section>
  )
}
