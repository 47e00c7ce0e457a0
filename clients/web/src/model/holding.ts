import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import {
  type Fairgate,
  type Hold,
  type HoldRefusal,
  type HoldSelection,
  randomId,
} from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import { holdRefusal } from './buyTexts.ts'
import type { Choice } from './choice.ts'
import type { Lapsed } from './chosenSeats.ts'
import type { Kept } from './kept.ts'
import type { Notice, Notices } from './notice.ts'
import type { PurchaseState } from './purchaseState.ts'
import { trouble } from './trouble.ts'

/** The hold: made, exchanged, given back, lapsed. */
export interface Holding {
  readonly hold: ReadonlySignal<Hold | null>
  /** What the fan held last and did not pay for; null otherwise. */
  readonly lapsed: ReadonlySignal<Lapsed | null>
  /** True while the fan chooses other seats; the hold stays meanwhile. */
  readonly changing: ReadonlySignal<boolean>
  /**
   * Holds a selection, or exchanges the present hold for it. Returns the refusal for the caller to explain if it is
   * `NotEnoughAvailable`; null otherwise: the page shows everything else.
   */
  reserve(eventId: string, selection: HoldSelection): Promise<NotEnough | null>
  /** Reserves what lapsed, the same seats or as many units. */
  again(eventId: string): Promise<NotEnough | null>
  take(hold: Hold): void
  /** Ends the view of the hold, without a request. */
  drop(): void
  /** Forgets what lapsed. */
  forget(): void
  release(): Promise<void>
  /** `again`: after a reload, with the seats that the fan had chosen before it. */
  change(again?: boolean): Promise<void>
  keep(): void
}

export type NotEnough = Extract<HoldRefusal, { __typename: 'NotEnoughAvailable' }>

interface Deps {
  fairgate: Fairgate
  choice: Choice
  state: Signal<PurchaseState>
  kept: Kept<Lapsed>
  /** Called with a hold that is paid for, or was, in another tab or on another device. */
  paidElsewhere(order: NonNullable<Hold['order']>): void
  /** Reads the account's live hold for this event. */
  currentHold(): Promise<Hold | null>
  notices: Notices
  announcer: Announcer
}

export function createHolding(deps: Deps): Holding {
  const { fairgate, choice, state, kept, paidElsewhere, currentHold, notices, announcer } = deps
  const { holds } = fairgate
  const hold = signal<Hold | null>(null)
  const lapsed = signal<Lapsed | null>(kept.read())
  const changing = signal(false)
  let stopWatching = () => {}
  // One idempotency key for one request: a fan who presses again after a lost answer sends the same request.
  let request: { what: string; key: string } | null = null

  function problem(text: Notice['text']) {
    notices.show({ tone: 'problem', text })
  }

  function drop() {
    stopWatching()
    hold.value = null
    keep()
  }

  function keep() {
    if (!changing.value) return
    changing.value = false
    choice.replace([])
    choice.lend([])
  }

  function setLapsed(next: Lapsed | null) {
    lapsed.value = next
    kept.write(next)
  }

  function take(next: Hold) {
    hold.value = next
    // If the hold lapses while the page is closed, the next visit offers the same seats.
    kept.write({ holdId: next.id, items: next.items.map(({ seat, section }) => ({ seat, section })) })
    lapsed.value = null
    stopWatching()
    stopWatching = holds.watch(
      next.id,
      (now) => hold.value?.id === now.id && changed(now),
      () => undefined,
    )
  }

  function changed(now: Hold) {
    hold.value = now
    if (state.value === 'paying') return
    if (now.order && (now.state === 'SOLD' || now.order.state === 'PAYING')) return paidElsewhere(now.order)
    if (now.state === 'ACTIVE') return
    if (now.state === 'RELEASED') return void followRelease(now)
    const { id, items } = now
    drop()
    setLapsed({ holdId: id, items })
    announcer.interrupt(t('buy.timeOver'))
    problem(() => t('buy.timeOverNoMoney'))
  }

  /** A hold that was released is given back or exchanged, in another tab, or by a request whose answer was lost. */
  async function followRelease(released: Hold) {
    // The answer of the present request decides.
    if (state.value !== 'idle') return
    const next = await currentHold().catch(() => null)
    if (hold.value?.id !== released.id) return
    drop()
    setLapsed(null)
    if (next) take(next)
  }

  async function refused(
    refusal: Exclude<HoldRefusal, NotEnough>,
    eventId: string,
    selection: HoldSelection,
  ) {
    // Few fans need it, so the door does not load it. Without it the refusal has no action.
    const loaded = await import('../map/refusedHold.ts').catch(() => null)
    if (!loaded) return problem(() => holdRefusal(refusal, []))
    notices.show(
      await loaded.explainRefusal(refusal, selection, {
        choice,
        hold,
        lapsed,
        reserve: (next) => void reserve(eventId, next),
        show(other) {
          notices.clear()
          keep()
          take(other)
        },
        exchange: async (own, seatIds) => {
          take(own)
          await chooseInstead(own, seatIds)
        },
      }),
    )
  }

  /** The hold stays, and its seats may be chosen again. */
  async function lend({ items }: Hold) {
    choice.lend(seatIdsOf(items))
    changing.value = true
    await choice.load(items.map(({ section }) => section.id))
  }

  async function chooseInstead(held: Hold, seatIds: readonly string[]) {
    await lend(held)
    if (changing.value) choice.replace(seatIds.flatMap((id) => choice.find(id) ?? []))
  }

  async function ask(eventId: string, selection: HoldSelection, key: string) {
    const old = hold.value
    if (!old) return holds.hold(eventId, selection, key)
    const result = await holds.exchange(old.id, selection, key)
    // The old hold ran out a moment ago: there is nothing to exchange.
    return result.__typename === 'HoldNotFound' ? holds.hold(eventId, selection, `${key}-new`) : result
  }

  async function reserve(eventId: string, selection: HoldSelection): Promise<NotEnough | null> {
    if (state.value !== 'idle') return null
    const what = JSON.stringify([hold.value?.id, selection])
    if (request?.what !== what) request = { what, key: randomId() }
    state.value = 'holding'
    choice.freeze(true)
    notices.clear()
    try {
      const result = await ask(eventId, selection, request.key)
      request = null
      if (result.__typename === 'Hold') {
        keep()
        take(result)
        choice.replace([])
        choice.open(null)
      } else if (result.__typename === 'NotEnoughAvailable') return result
      else if (result.__typename === 'HoldInCheckout') problem(() => t('buy.beingPaid'))
      else await refused(result, eventId, selection)
      choice.freeze(false)
    } catch (error) {
      problem(() => trouble(error))
    } finally {
      state.value = 'idle'
    }
    if (hold.value?.state === 'RELEASED') await followRelease(hold.value)
    return null
  }

  return {
    hold,
    lapsed,
    changing,
    reserve,
    take,
    drop,
    forget: () => setLapsed(null),
    keep,
    async again(eventId) {
      const items = lapsed.value?.items ?? []
      const seats = seatIdsOf(items)
      const [first] = items
      if (!first) return null
      const refusal = await reserve(
        eventId,
        seats.length
          ? { seats }
          : { generalAdmission: { sectionId: first.section.id, quantity: items.length } },
      )
      if (!hold.value && !notices.current.value?.actions?.().length) setLapsed(null)
      return refusal
    },
    async release() {
      const held = hold.value
      if (!held || state.value !== 'idle') return
      state.value = 'releasing'
      try {
        const result = await holds.release(held.id)
        if (result.__typename === 'HoldInCheckout') return problem(() => t('buy.beingPaid'))
        drop()
        setLapsed(null)
        announcer.say(t('buy.backOnSale'))
      } catch (error) {
        problem(() => trouble(error))
      } finally {
        state.value = 'idle'
      }
    },
    async change(again) {
      const held = hold.value
      if (!held) return
      if (again) {
        await lend(held)
        await choice.restore()
      } else await chooseInstead(held, seatIdsOf(held.items))
    },
  }
}

function seatIdsOf(items: Lapsed['items']): string[] {
  return items.flatMap(({ seat }) => seat?.id ?? [])
}
