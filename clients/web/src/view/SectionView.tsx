import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Section } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { levelColor } from './levelColor.ts'
import { SeatPlan } from './SeatPlan.tsx'

/** One section: its live seats and the legend. */
export function SectionView({ page, section, back }: { page: Page; section: Section; back: () => void }) {
  const { choice } = page
  const layout = choice.layout.value
  const now = choice.now.value
  const whole = useSignal(true)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [section.id])
  return (
    <section class="section">
      <button type="button" class="quiet back" onClick={back}>
        {t('map.allSections')}
      </button>
      <div class="row head">
        <h1 ref={heading} tabIndex={-1}>
          {section.name}
        </h1>
        <p class="free">{now ? t('map.freeSeats', { count: now.available }) : t('map.loading')}</p>
        <button type="button" class="zoom" onClick={() => (whole.value = !whole.value)}>
          {whole.value ? t('map.zoomIn') : t('map.wholeSection')}
        </button>
      </div>
      {now?.statuses === null && <p class="notice news">{t('map.countsOnly')}</p>}
      {layout && now ? (
        <SeatPlan
          seats={layout}
          levels={section.priceLevels}
          statuses={now.statuses}
          chosen={choice.chosen.value.map(({ seat }) => seat.id)}
          stranded={choice.stranded.value}
          whole={whole.value}
          name={section.name}
          toggle={choice.toggle}
        />
      ) : (
        <div class="ghost tall" aria-busy="true" />
      )}
      <div class="row foot">
        <ul class="legend">
          {section.priceLevels.map((level) => (
            <li key={level.id} style={levelColor(level)}>
              <span class="swatch" />
              {level.name} {formatter().money(level.total)}
            </li>
          ))}
          {layout?.some(({ wheelchair }) => wheelchair) && (
            <li>
              <span class="swatch wheelchair" />
              {t('map.wheelchair')}
            </li>
          )}
          <li>
            <span class="swatch held" />
            {t('map.held')}
          </li>
          <li>
            <span class="swatch sold" />
            {t('map.sold')}
          </li>
        </ul>
      </div>
    </section>
  )
}
