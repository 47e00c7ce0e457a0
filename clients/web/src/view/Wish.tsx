import { formatter, t } from '../i18n/texts.ts'
import { duration } from '../i18n/times.ts'
import type { Offer } from '../model/offers.ts'
import type { Page } from '../model/page.ts'
import type { WishModel } from '../model/wish.ts'
import { levelColor } from './levelColor.ts'

/** The choice by quantity, which one tap reserves. `chooseMyself` leads to the map; left out where seats have no names. */
export function Wish({
  page,
  wish,
  chooseMyself,
}: {
  page: Page
  wish: WishModel
  chooseMyself?: () => void
}) {
  const { purchase, sale } = page
  const offer = wish.offer.value
  if (!offer) return null
  const canBeTogether = !offer.area && wish.quantity.value > 1
  const isTogether = canBeTogether && wish.together.value
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
        <Quantity page={page} wish={wish} />
        {canBeTogether && (
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
        {sale.value && !purchase.hold.value && (
          <p class="faint">{t('buy.holdTime', { time: duration(sale.value.holdSeconds) })}</p>
        )}
      </div>
      <div class="sheet reserve">
        <p class="wished">
          <strong>{t('page.ticketCount', { count: wish.quantity.value })}</strong>
          {isTogether && <span>{t('buy.together')}</span>}
          <span>{nameOf(offer)}</span>
        </p>
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
          <button type="button" class="plain-button" onClick={chooseMyself}>
            {t('buy.chooseMyself')}
          </button>
        )}
      </div>
    </form>
  )
}

function Quantity({ page: { purchase }, wish }: { page: Page; wish: WishModel }) {
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
  const { area, free, level } = offer
  return (
    <label class={free === 0 ? 'option gone' : 'option'} style={level ? levelColor(level) : undefined}>
      <input type="radio" name="offer" checked={checked} onChange={choose} />
      <span>
        <span class="name">
          {level && <span class="swatch" />}
          {nameOf(offer)}
        </span>
        <span class="faint">{hintOf(offer)}</span>
        {area && <span class="faint">{t('buy.noSeatNumbers')}</span>}
      </span>
      {free !== null && (
        <span class="left">
          {free === 0 ? t('buy.noneNow') : t(area ? 'buy.ticketsLeft' : 'buy.seatsLeft', { count: free })}
        </span>
      )}
    </label>
  )
}

function nameOf({ area, level, most, isAnyPrice }: Offer): string {
  if (area) return area.name
  if (isAnyPrice) return t('buy.bestSeats')
  return level?.name ?? t('buy.upTo', { price: formatter().money(most) })
}

/** The price of a ticket, or the names of the price levels where the offer's name has the price. */
function hintOf({ cheapest, most, isAnyPrice, level, levelNames }: Offer): string {
  const [from, to] = [formatter().money(cheapest), formatter().money(most)]
  if (level || cheapest.amount === most.amount) return t('buy.each', { price: to })
  return isAnyPrice ? t('buy.range', { from, to }) : formatter().list(levelNames)
}
