import { formatter, t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { type PriceCount, priceCounts } from '../model/priceCounts.ts'
import { levelColor } from './levelColor.ts'

/** The prices, the dearest first, with what is left of each while the sale is on. */
export function Prices({ page, title }: { page: Page; title: string }) {
  const event = page.event.value
  const sale = page.sale.value
  if (!event || !sale) return null
  const counts = priceCounts(event, sale)
  const capacity = event.sections.reduce((total, section) => total + section.capacity, 0)
  const isOn = sale.state === 'ON_SALE' || sale.state === 'PAUSED'
  return (
    <section class="prices">
      <h2>{title}</h2>
      <ul>
        {counts.map((count) => (
          <li
            key={count.level.id}
            class={isOn && count.available === 0 ? 'gone' : ''}
            style={levelColor(count.level)}
          >
            <span class="swatch" />
            <span class="name">{count.level.name}</span>
            <strong>{formatter().money(count.level.total)}</strong>
            {isOn && <Left count={count} />}
          </li>
        ))}
      </ul>
      <p class="faint">
        {counts.some(({ level }) => level.fee.amount > 0) && `${t('page.feesIncluded')} `}
        {t('page.seatsInAll', { count: capacity })}
      </p>
    </section>
  )
}

function Left({ count: { available, held } }: { count: PriceCount }) {
  if (available === null) return null
  return (
    <span class="left">
      {available > 0 ? t('page.left', { count: available }) : <b>{t('page.gone')}</b>}
      {held > 0 && ` · ${t('page.mayComeBack', { count: held })}`}
    </span>
  )
}
