import { formatter, t } from '../i18n/texts.ts'
import { duration } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import type { Offer } from '../model/wish.ts'
import { levelColor } from './levelColor.ts'

/** The choice by quantity, which one tap reserves. `chooseMyself` leads to the map; left out where seats have no names. */
export function Wish({ page, chooseMyself }: { page: Page; chooseMyself?: () => void }) {
  const { wish, purchase, sale } = page
  const offer = wish.offer.value
  if (!offer) return null
  const busy = purchase.state.value === 'holding'
  const paused = sale.value?.state === 'PAUSED'
  const total = formatter().money({ ...offer.most, amount: offer.most.amount * wish.quantity.value })
  function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    void wish.reserve()
  }
  return (
    <form class="wish" onSubmit={submit}>
      <div class="asks">
        <Quantity page={page} />
        {!offer.area && wish.quantity.value > 1 && (
          <label class="switch">
            <input
              type="checkbox"
              role="switch"
              aria-checked={wish.together.value}
              checked={wish.together.value}
              onChange={({ currentTarget }) => wish.set({ together: currentTarget.checked })}
            />
            <span>
              {t('buy.together')}
              <span class="faint">{t('buy.togetherHint')}</span>
            </span>
          </label>
        )}
        <fieldset>
          <legend>{t('buy.where')}</legend>
          {wish.offers.value.map((one) => (
            <OfferOption
              key={one.key}
              offer={one}
              checked={one === offer}
              choose={() => wish.set({ offer: one.key })}
            />
          ))}
        </fieldset>
      </div>
      <div class="sheet reserve">
        {paused && <p>{t('buy.paused')}</p>}
        <button type="submit" class="primary" disabled={busy || paused}>
          {busy
            ? t('page.oneMoment')
            : t(offer.level ? 'buy.reserveTickets' : 'buy.reserveTicketsUpTo', {
                count: wish.quantity.value,
                total,
              })}
        </button>
        {chooseMyself && (
          <button type="button" onClick={chooseMyself}>
            {t('buy.chooseMyself')}
          </button>
        )}
        {sale.value && !purchase.hold.value && (
          <p class="faint">{t('buy.holdTime', { time: duration(sale.value.holdSeconds) })}</p>
        )}
      </div>
    </form>
  )
}

function Quantity({ page: { wish, purchase } }: { page: Page }) {
  const quantity = wish.quantity.value
  const most = wish.most.value
  return (
    <div class="quantity">
      <h1 tabIndex={-1} id="how-many">
        {t(purchase.changing.value ? 'buy.howManyInstead' : 'buy.howMany')}
      </h1>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be the page's heading */}
      <div class="stepper" role="group" aria-labelledby="how-many">
        <button
          type="button"
          aria-label={t('buy.fewer')}
          aria-disabled={quantity <= 1}
          onClick={() => quantity > 1 && wish.set({ quantity: quantity - 1 })}
        >
          <span aria-hidden="true">−</span>
        </button>
        <output>{formatter().number(quantity)}</output>
        <button
          type="button"
          aria-label={t('buy.more')}
          aria-disabled={quantity >= most}
          onClick={() => quantity < most && wish.set({ quantity: quantity + 1 })}
        >
          <span aria-hidden="true">+</span>
        </button>
        <span class="faint">{t('buy.limit', { count: most })}</span>
      </div>
    </div>
  )
}

function OfferOption({ offer, checked, choose }: { offer: Offer; checked: boolean; choose(): void }) {
  const { area, cheapest, most, free, level, isAnyPrice } = offer
  const gone = free === 0
  const range = cheapest.amount !== most.amount
  const price = range
    ? t('buy.range', { from: formatter().money(cheapest), to: formatter().money(most) })
    : t('buy.each', { price: formatter().money(most) })
  return (
    <label class={gone ? 'option gone' : 'option'} style={level ? levelColor(level) : undefined}>
      <input type="radio" name="offer" checked={checked} onChange={choose} />
      <span>
        <span class="name">
          {level && <span class="swatch" />}
          {area
            ? area.name
            : isAnyPrice
              ? t('buy.bestSeats')
              : (level?.name ?? t('buy.upTo', { price: formatter().money(most) }))}
        </span>
        <span class="faint">
          {area && `${t('buy.noSeatNumbers')} · `}
          {price}
        </span>
      </span>
      {free !== null && (
        <span class="left">
          {free === 0 ? t('buy.noneNow') : t(area ? 'buy.ticketsLeft' : 'buy.seatsLeft', { count: free })}
        </span>
      )}
    </label>
  )
}
