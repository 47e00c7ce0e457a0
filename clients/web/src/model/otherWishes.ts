import { t } from '../i18n/texts.ts'
import { holdRefusal } from './buyTexts.ts'
import type { NotEnough } from './holding.ts'
import type { Notice, NoticeAction } from './notice.ts'
import type { KeptWish, Offer } from './offers.ts'

interface Refused {
  readonly offer: Offer
  readonly quantity: number
  readonly together: boolean
}

/** Explains a wish that cannot be met, and offers the wishes next to it, each in one tap. */
export function otherWishes(
  refusal: NotEnough,
  { offer: { area, isAnyPrice }, quantity, together }: Refused,
  take: (change: Partial<KeptWish>) => void,
): Notice {
  const isBlock = !area && together && quantity > 1
  const act = (label: string, change: Partial<KeptWish>) => ({ label, run: () => take(change) })
  return {
    tone: 'problem',
    text: () =>
      !isBlock
        ? holdRefusal(refusal, [])
        : refusal.available > 0
          ? t('buy.notTogetherLongest', { count: quantity, longest: refusal.available })
          : t('buy.notTogether', { count: quantity }),
    actions() {
      const actions: NoticeAction[] = []
      const count = refusal.available
      if (count > 0 && count < quantity)
        actions.push(
          act(t(area || !together ? 'buy.takeFewer' : 'buy.takeTogether', { count }), { quantity: count }),
        )
      if (isBlock) actions.push(act(t('buy.takeApart', { count: quantity }), { together: false }))
      if (!area && !isAnyPrice) actions.push(act(t('buy.takeAnyPrice'), { offer: '' }))
      return actions
    },
  }
}
