import type { Section } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import { levelColor } from './levelColor.ts'

/** The prices, highest first. */
export function Prices({ sections }: { sections: readonly Section[] }) {
  const levels = new Map(sections.flatMap(({ priceLevels }) => priceLevels).map((level) => [level.id, level]))
  const ordered = [...levels.values()].sort((a, b) => b.total.amount - a.total.amount)
  const capacity = sections.reduce((total, section) => total + section.capacity, 0)
  return (
    <section class="prices">
      <h2>{t('page.prices')}</h2>
      <ul>
        {ordered.map((level) => (
          <li key={level.id} style={levelColor(level)}>
            <span class="swatch" />
            <span>{level.name}</span>
            <strong>{formatter().money(level.total)}</strong>
          </li>
        ))}
      </ul>
      <p class="faint">
        {ordered.some(({ fee }) => fee.amount > 0) && `${t('page.feesIncluded')} `}
        {t('page.seatsInAll', { count: capacity })}
      </p>
    </section>
  )
}
