import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Choice } from '../model/choice.ts'
import type { NoticeAction } from '../model/notice.ts'
import { nearestHarmless } from './harmless.ts'

/** Returns an action for each block of seats near those that are gone, which reserves it in one tap. */
export function blockActions(
  blocks: readonly (readonly string[])[],
  choice: Pick<Choice, 'find'>,
  reserve: (seatIds: string[]) => void,
): NoticeAction[] {
  return blocks
    .map((ids) => ids.flatMap((id) => choice.find(id) ?? []))
    .filter((block) => block.length > 0)
    .map((block) => {
      const amount = block.reduce((sum, { level }) => sum + level.total.amount, 0)
      const currency = block[0]?.level.total.currency ?? ''
      return {
        label: t('buy.reserveBlock', {
          seats: formatter().list(block.map(({ seat }) => seatName(seat))),
          total: formatter().money({ amount, currency }),
        }),
        run: () => reserve(block.map(({ seat }) => seat.id)),
      }
    })
}

/** Returns the nearest choice that leaves no single seat, as the only block; no block where the page finds none. */
export function harmlessBlock(
  stranded: readonly string[],
  seatIds: readonly string[],
  choice: Pick<Choice, 'find' | 'seen'>,
): readonly (readonly string[])[] {
  const better = nearestHarmless(choice, seatIds, stranded)
  return better ? [better] : []
}
