import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { EventPage, HoldSelection, Money, PriceLevel, Sale, Section } from '../../../sdk/index.ts'
import { holdRefusal } from './buyTexts.ts'
import type { NotEnough } from './holding.ts'
import type { Kept } from './kept.ts'
import type { Notices } from './notice.ts'
import { priceLevelsOf } from './priceLevels.ts'
import type { Purchase } from './purchase.ts'

/** Where the tickets may be, and what each one may cost. */
export interface Offer {
  readonly key: string
  /** An area without seats; null: the best seats of the hall. */
  readonly area: Section | null
  /** The dearest ticket of the offer. */
  readonly most: Money
  readonly cheapest: Money
  /** Free seats or units; null: unknown, since sections with these prices have other prices too. */
  readonly free: number | null
  /** The only price level of the offer; null: several. */
  readonly level: PriceLevel | null
  /** Of all price levels of the offer, the dearest first. */
  readonly levelNames: readonly string[]
  /** True for the best seats at any price. */
  readonly isAnyPrice: boolean
}

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

export interface KeptWish {
  readonly quantity: number
  readonly together: boolean
  /** Of an offer. */
  readonly offer: string
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
    // Few fans need it, so the door does not load it. Without it the refusal has no action.
    const { otherWishes } = await import('../map/otherWishes.ts').catch(() => ({ otherWishes: null }))
    notices.show(
      otherWishes?.(refusal, refused, (change) => {
        set(change)
        void reserve()
      }) ?? { tone: 'problem', text: () => holdRefusal(refusal as NotEnough, []) },
    )
  }

  return { offers, offer, quantity, most, together, set, reserve }
}

/** The price levels of seats, the dearest first. */
function seatedLevels(sections: readonly Section[]): PriceLevel[] {
  return priceLevelsOf(sections.filter(({ kind }) => kind === 'SEATED'))
}

function offersOf(sections: readonly Section[], sale: Sale): Offer[] {
  const freeIn = new Map(sale.sections.map(({ sectionId, available }) => [sectionId, available]))
  const seated = sections.filter(({ kind }) => kind === 'SEATED')
  const levels = seatedLevels(sections)
  const cheapest = levels.at(-1)?.total
  const prices = [...new Map(levels.map(({ total }) => [total.amount, total])).values()]
  const bySeat = cheapest
    ? prices.map((most, i): Offer => {
        const within = levels.filter(({ total }) => total.amount <= most.amount)
        return {
          key: i === 0 ? '' : `most-${most.amount}`,
          area: null,
          most,
          cheapest,
          free: freeAmong(seated, within, freeIn),
          level: within.length === 1 ? (within[0] ?? null) : null,
          levelNames: within.map(({ name }) => name),
          isAnyPrice: i === 0,
        }
      })
    : []
  const byArea = sections
    .filter(({ kind }) => kind === 'GENERAL_ADMISSION')
    .flatMap((area): Offer[] => {
      const [level] = priceLevelsOf([area])
      if (!level) return []
      const { total } = level
      const free = freeIn.get(area.id) ?? null
      return [
        {
          key: area.id,
          area,
          most: total,
          cheapest: total,
          free,
          level,
          levelNames: [level.name],
          isAnyPrice: false,
        },
      ]
    })
  return [...bySeat, ...byArea]
}

/** The free seats of these price levels; null where a section with one of them also has another one, and free seats. */
function freeAmong(
  seated: readonly Section[],
  levels: readonly PriceLevel[],
  freeIn: ReadonlyMap<string, number>,
): number | null {
  const ids = new Set(levels.map(({ id }) => id))
  let free = 0
  for (const section of seated) {
    const own = priceLevelsOf([section])
    const among = own.filter(({ id }) => ids.has(id)).length
    const here = freeIn.get(section.id) ?? 0
    if (among === 0 || here === 0) continue
    if (among < own.length) return null
    free += here
  }
  return free
}
