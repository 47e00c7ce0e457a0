import { t } from '../i18n/texts.ts'
import { holdRefusal } from '../model/buyTexts.ts'
import type { NotEnough } from '../model/holding.ts'
import type { Notice } from '../model/notice.ts'
import type { KeptWish, Offer } from '../model/wish.ts'

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
  const others: { label: string; change: Partial<KeptWish> }[] = []
  if (refusal.available > 0 && refusal.available < quantity)
    others.push({
      label: t(area || !together ? 'buy.takeFewer' : 'buy.takeTogether', { count: refusal.available }),
      change: { quantity: refusal.available },
    })
  if (isBlock) others.push({ label: t('buy.takeApart', { count: quantity }), change: { together: false } })
  if (!area && !isAnyPrice) others.push({ label: t('buy.takeAnyPrice'), change: { offer: '' } })
  return {
    tone: 'problem',
    text: !isBlock
      ? holdRefusal(refusal, [])
      : refusal.available > 0
        ? t('buy.notTogetherLongest', { count: quantity, longest: refusal.available })
        : t('buy.notTogether', { count: quantity }),
    actions: others.map(({ label, change }) => ({ label, run: () => take(change) })),
  }
}
