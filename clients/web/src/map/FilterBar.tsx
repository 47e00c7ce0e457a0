import type { PriceLevel } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import { levelColor } from '../view/levelColor.ts'
import { filters, isAnything, wanted } from './filters.ts'

const MOST_TOGETHER = 8

interface FiltersProps {
  /** The price levels to choose from, highest first. */
  levels: readonly PriceLevel[]
  hasWheelchairSeats: boolean
  /** The most tickets that the fan may still buy. */
  ticketsLeft: number
  /** What the filters leave, in words; shown while one is set. */
  result: string
}

/** The prices, which also explain the colours, and what else the fan may look for. */
export function FilterBar({ levels, hasWheelchairSeats, ticketsLeft, result }: FiltersProps) {
  const chosen = filters.levels.value
  const sizes = Array.from({ length: Math.max(0, Math.min(ticketsLeft, MOST_TOGETHER) - 1) }, (_, i) => i + 2)
  return (
    <section class="filters" aria-label={t('map.showOnly')}>
      <div class="chips">
        {levels.map((level) => (
          <button
            key={level.id}
            type="button"
            class="filter"
            aria-pressed={chosen.has(level.id)}
            style={levelColor(level)}
            onClick={() => filters.toggleLevel(level.id)}
          >
            <span class="swatch" />
            {level.name} <strong>{formatter().money(level.total)}</strong>
          </button>
        ))}
        {hasWheelchairSeats && (
          <button
            type="button"
            class="filter"
            aria-pressed={filters.wheelchair.value}
            onClick={() => filters.toggleWheelchair()}
          >
            <span class="swatch wheelchair" />
            {t('map.wheelchairs')}
          </button>
        )}
        {sizes.length > 0 && (
          <select
            class="filter"
            aria-label={t('map.together')}
            value={String(filters.together.value)}
            onChange={({ currentTarget }) => filters.setTogether(Number(currentTarget.value))}
          >
            <option value="1">{t('map.togetherAny')}</option>
            {sizes.map((size) => (
              <option key={size} value={String(size)}>
                {t('map.togetherCount', { count: size })}
              </option>
            ))}
          </select>
        )}
      </div>
      {!isAnything(wanted()) && (
        <p class="result" role="status">
          {result}{' '}
          <button type="button" class="quiet" onClick={() => filters.clear()}>
            {t('map.showAll')}
          </button>
        </p>
      )}
    </section>
  )
}
