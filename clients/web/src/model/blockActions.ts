import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Choice } from './choice.ts'
import type { Notice } from './notice.ts'

/** Returns an action for each block of seats near those that are gone, which reserves it in one tap. */
export function blockActions(
  blocks: readonly (readonly string[])[],
  choice: Pick<Choice, 'find'>,
  reserve: (seatIds: string[]) => void,
): NonNullable<Notice['actions']> {
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

/** Returns the action that reserves the nearest choice that leaves no single seat; none where the page finds none. */
export async function harmlessActions(
  stranded: readonly string[],
  seatIds: readonly string[],
  choice: Pick<Choice, 'find' | 'seen'>,
  reserve: (seatIds: string[]) => void,
): Promise<Notice['actions']> {
  // Few fans need it, so the door does not load it.
  const found = await import('../map/harmless.ts').catch(() => null)
  const better = found?.nearestHarmless(choice, seatIds, stranded)
  return better ? blockActions([better], choice, reserve) : undefined
}
