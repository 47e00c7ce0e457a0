import { useMemo } from 'preact/hooks'
import { AVAILABLE, type HallPlan, type Seat, type Section, type SectionNow } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { seatStates } from './drawing/seatStates.ts'
import { FilterBar } from './FilterBar.tsx'
import { matchingSeats, wanted } from './filters.ts'
import { hallDrawing } from './geometry/hallPlan.ts'
import { sectionPlan } from './geometry/sectionPlan.ts'
import { SeatList } from './SeatList.tsx'
import { SectionMap } from './SectionMap.tsx'

interface SectionFigureProps {
  page: Page
  section: Section
  layout: readonly Seat[]
  now: SectionNow
  /** Null while it loads, and where it cannot be loaded: then the direction of the stage is unknown. */
  plan: HallPlan | null
}

/** A section's filters, map, legend and list. */
export function SectionFigure({ page, section, layout, now, plan }: SectionFigureProps) {
  const { choice } = page
  const sections = page.event.value?.sections
  const hall = useMemo(() => plan && sections && hallDrawing(sections, plan), [plan, sections])
  const { priceLevels } = section
  const drawn = useMemo(
    () => sectionPlan(layout, priceLevels, hall?.focus ?? null),
    [layout, priceLevels, hall?.focus],
  )
  const { levels, wheelchair, together } = wanted()
  const matches = useMemo(
    () => matchingSeats({ levels, wheelchair, together }, drawn, now.statuses),
    [levels, wheelchair, together, drawn, now.statuses],
  )
  const chosenSeats = choice.chosen.value
  const strandedIds = choice.stranded.value
  const indexOf = useMemo(() => new Map(layout.map(({ id }, i) => [id, i])), [layout])
  const states = useMemo(() => {
    const indexes = (ids: readonly string[]) => ids.flatMap((id) => indexOf.get(id) ?? [])
    const chosen = indexes(chosenSeats.map(({ seat }) => seat.id))
    return seatStates(layout.length, {
      statuses: now.statuses,
      matches,
      chosen,
      stranded: indexes(strandedIds),
    })
  }, [indexOf, now.statuses, matches, chosenSeats, strandedIds])
  const hasWheelchairSeats = useMemo(() => layout.some(({ wheelchair }) => wheelchair), [layout])

  function toggle(seat: Seat) {
    const isFree = !now.statuses || now.statuses[seat.index] === AVAILABLE
    if (isFree || chosenSeats.some((chosen) => chosen.seat.id === seat.id)) choice.toggle(seat)
  }

  return (
    <>
      <FilterBar
        levels={priceLevels}
        hasWheelchairSeats={hasWheelchairSeats}
        ticketsLeft={page.sale.value?.ticketLimit ?? 1}
        result={resultText(matches)}
      />
      <SectionMap
        plan={drawn}
        areas={hall?.areas ?? []}
        levels={priceLevels}
        states={states}
        stage={t(`map.${hall?.feature ?? 'MIDDLE'}`)}
        name={section.name}
        toggle={toggle}
      >
        <ul class="legend">
          {hasWheelchairSeats && (
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
      </SectionMap>
      <SeatList plan={drawn} levels={priceLevels} states={states} toggle={toggle} />
    </>
  )
}

function resultText(matches: Uint8Array | null): string {
  const count = matches?.reduce((sum, match) => sum + match, 0) ?? 0
  return count === 0 ? t('map.noMatch') : t('map.matchingSeats', { count })
}
