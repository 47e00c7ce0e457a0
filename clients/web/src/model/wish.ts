import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { EventPage, HoldSelection, Sale } from '../../../sdk/index.ts'
import type { NotEnough } from './holding.ts'
import type { Kept } from './kept.ts'
import type { Notices } from './notice.ts'
import { type KeptWish, type Offer, offersOf, seatedLevels } from './offers.ts'
import { otherWishes } from './otherWishes.ts'
import type { Purchase } from './purchase.ts'

/** The choice by quantity: how many, side by side, where and up to which price. It survives a reload. */
export interface WishModel {
  readonly offers: ReadonlySignal<readonly Offer[]>
  /** Null while the event is not loaded. */
  readonly offer: ReadonlySignal<Offer | null>
  readonly quantity: ReadonlySignal<number>
  readonly most: ReadonlySignal<number>
  readonly together: ReadonlySignal<boolean>
  set(change: Partial<KeptWish>): void
  /** Holds the best seats or units that the wish names, in one step. */
  reserve(): Promise<void>
}

const USUAL: KeptWish = { quantity: 2, together: true, offer: '' }

interface Deps {
  event: ReadonlySignal<EventPage | null>
  sale: ReadonlySignal<Sale | null>
  ticketsLeft: ReadonlySignal<number>
  purchase: Pick<Purchase, 'reserve' | 'hold' | 'changing'>
  kept: Kept<KeptWish>
  notices: Notices
}

export function createWish({ event, sale, ticketsLeft, purchase, kept, notices }: Deps): WishModel {
  const wish = signal<KeptWish>({ ...USUAL, ...kept.read() })
  const offers = computed(() => (event.value && sale.value ? offersOf(event.value.sections, sale.value) : []))
  const offer = computed(
    () => offers.value.find(({ key }) => key === wish.value.offer) ?? offers.value[0] ?? null,
  )
  // Tickets that are held and may be exchanged do not count against the limit.
  const most = computed(() => Math.max(1, ticketsLeft.value))
  const quantity = computed(() => Math.min(wish.value.quantity, most.value))
  const together = computed(() => wish.value.together)

  function set(change: Partial<KeptWish>) {
    wish.value = { ...wish.value, ...change }
    kept.write(wish.value)
    notices.clear()
  }

  /** The selections to try, the best first: a sale takes one price level, or any. */
  function selections({ area, isAnyPrice, most }: Offer): HoldSelection[] {
    const wanted = { quantity: quantity.value, together: together.value || quantity.value === 1 }
    if (area) return [{ generalAdmission: { sectionId: area.id, quantity: quantity.value } }]
    if (isAnyPrice) return [{ bestAvailable: wanted }]
    return seatedLevels(event.value?.sections ?? [])
      .filter(({ total }) => total.amount <= most.amount)
      .map(({ id }) => ({ bestAvailable: { ...wanted, priceLevelId: id } }))
  }

  async function reserve() {
    const current = offer.value
    if (!current) return
    let refusal: NotEnough | null = null
    for (const selection of selections(current)) {
      const next = await purchase.reserve(event.value?.id ?? '', selection)
      if (!next) return
      if (!refusal || next.available > refusal.available) refusal = next
    }
    if (!refusal) return
    const refused = { offer: current, quantity: quantity.value, together: together.value }
    notices.show(
      otherWishes(refusal, refused, (change) => {
        set(change)
        void reserve()
      }),
    )
  }

  return { offers, offer, quantity, most, together, set, reserve }
}
