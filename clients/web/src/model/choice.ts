import { computed, type ReadonlySignal, signal } from '@preact/signals'
import {
  ApiError,
  AVAILABLE,
  type EventPage,
  type Fairgate,
  type PriceLevel,
  type Seat,
  type Section,
  type SectionNow,
} from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import type { ChosenSeat, KeptSeat, SeenSection } from './chosenSeats.ts'
import type { Kept } from './kept.ts'
import { createLostSeats } from './lostSeats.ts'
import type { Notices } from './notice.ts'
import { trouble } from './trouble.ts'

/** The section on show and the chosen seats. They are not held yet. */
export interface Choice {
  /** The section on show; null: the whole hall. */
  readonly section: ReadonlySignal<Section | null>
  /** The seats of the section in index order; null while they load. */
  readonly layout: ReadonlySignal<readonly Seat[] | null>
  readonly now: ReadonlySignal<SectionNow | null>
  /** In the order in which the fan chose them. */
  readonly chosen: ReadonlySignal<readonly ChosenSeat[]>
  /** Ids of the single seats that made the server refuse the choice. Empty after the choice changes. */
  readonly stranded: ReadonlySignal<readonly string[]>
  /** Marks the single seats that the choice would leave. */
  markStranded(seatIds: readonly string[]): void
  open(section: Section | null): void
  /** Chooses a seat or puts it back. Shows a notice if the fan may not choose it. */
  toggle(seat: Seat): void
  /** Puts seats back, by id. */
  drop(seatIds: readonly string[]): void
  /** Replaces the chosen seats. */
  replace(seats: readonly ChosenSeat[]): void
  /**
   * Keeps the chosen seats although the map shows them as held. During a hold, or after its answer was lost, they may
   * be held by this very fan.
   */
  freeze(frozen: boolean): void
  /** Returns a seat by id, from any section whose seats are loaded. */
  find(seatId: string): ChosenSeat | undefined
  /** Returns a section's seats and their statuses as this fan sees them; null where one of them is not known. */
  seen(section: Section): SeenSection | null
  /** Loads the seats of sections, so that `find` knows them. Never throws. */
  load(sectionIds: readonly string[]): Promise<void>
  /** Shows these seats as free, although the map shows them as held: they are in this fan's own hold. */
  lend(seatIds: readonly string[]): void
  /** Chooses again what was chosen before a reload. */
  restore(): Promise<void>
}

interface Deps {
  fairgate: Fairgate
  event: ReadonlySignal<EventPage | null>
  /** The number of tickets that this account may still buy. */
  ticketsLeft: ReadonlySignal<number>
  kept: Kept<readonly KeptSeat[]>
  notices: Notices
  announcer: Announcer
}

export function createChoice({ fairgate, event, ticketsLeft, kept, notices, announcer }: Deps): Choice {
  const { seatMap } = fairgate
  const section = signal<Section | null>(null)
  const layouts = signal<ReadonlyMap<string, readonly Seat[]>>(new Map())
  const sections = signal<ReadonlyMap<string, SectionNow>>(new Map())
  const chosen = signal<readonly ChosenSeat[]>([])
  const refusedFor = signal<{ choice: readonly ChosenSeat[]; seatIds: readonly string[] } | null>(null)
  const stranded = computed(() => (refusedFor.value?.choice === chosen.value ? refusedFor.value.seatIds : []))
  const subscriptions = new Map<string, () => void>()
  let frozen = false
  const lostSeats = createLostSeats({ notices, announcer })

  const layout = computed(() => (section.value && layouts.value.get(section.value.id)) || null)
  const lent = signal<ReadonlySet<string>>(new Set())
  const now = computed(() => (section.value && seenAs(section.value)) || null)

  /** The section as the map shows it, and the lent seats as free. */
  function seenAs({ id }: Section): SectionNow | undefined {
    const current = sections.value.get(id)
    if (!current?.statuses || lent.value.size === 0) return current
    const statuses = Uint8Array.from(current.statuses)
    for (const seat of layouts.value.get(id) ?? [])
      if (lent.value.has(seat.id)) statuses[seat.index] = AVAILABLE
    return { ...current, statuses }
  }

  function choose(seats: readonly ChosenSeat[]) {
    chosen.value = seats
    kept.write(
      seats.length ? seats.map(({ seat, section }) => ({ id: seat.id, sectionId: section.id })) : null,
    )
    subscribeToSections()
  }

  async function loadLayout(one: Section) {
    const seats = await seatMap.layout(event.value?.id ?? '', one)
    layouts.value = new Map(layouts.value).set(one.id, seats)
  }

  /** Subscribes to the section on show and to the sections of the chosen seats. */
  function subscribeToSections() {
    const wanted = new Map(chosen.value.map(({ section }) => [section.id, section]))
    if (section.value) wanted.set(section.value.id, section.value)
    for (const [id, stop] of subscriptions) {
      if (wanted.has(id)) continue
      stop()
      subscriptions.delete(id)
      sections.value = new Map([...sections.value].filter(([other]) => other !== id))
    }
    for (const [id, one] of wanted) if (!subscriptions.has(id)) watch(one)
  }

  function watch(one: Section) {
    const eventId = event.value?.id ?? ''
    subscriptions.set(
      one.id,
      seatMap.watch(
        eventId,
        one,
        (next) => {
          sections.value = new Map(sections.value).set(one.id, next)
          dropTakenSeats(one)
        },
        (error) => {
          subscriptions.delete(one.id)
          if (section.value?.id === one.id) choice.open(null)
          // The line itself reports the end of an admission.
          if (error instanceof ApiError && error.code === 'ADMISSION_REQUIRED') return
          notices.show({ tone: 'problem', text: () => trouble(error) })
        },
      ),
    )
  }

  function dropTakenSeats(one: Section) {
    const statuses = seenAs(one)?.statuses
    if (!statuses || frozen) return
    const gone = chosen.value.filter(
      ({ section, seat }) => section.id === one.id && statuses[seat.index] !== AVAILABLE,
    )
    if (gone.length === 0) return
    lostSeats.report(
      gone.map(({ seat }) => seat),
      () => choice.drop(gone.map(({ seat }) => seat.id)),
    )
  }

  function levelOf(one: Section, seat: Seat): PriceLevel {
    return (one.priceLevels.find(({ id }) => id === seat.priceLevelId) ?? one.priceLevels[0]) as PriceLevel
  }

  const choice: Choice = {
    section,
    layout,
    now,
    chosen,
    stranded,
    markStranded(seatIds) {
      refusedFor.value = { choice: chosen.value, seatIds }
    },
    open(next) {
      section.value = next
      subscribeToSections()
      if (!next) return
      loadLayout(next).catch((error) =>
        notices.show({
          tone: 'problem',
          text: () => trouble(error),
          actions: () => [{ label: t('map.loadAgain'), run: () => choice.open(next) }],
        }),
      )
    },
    toggle(seat) {
      const one = section.value
      if (!one) return
      frozen = false
      notices.clear()
      const picked = chosen.value.some((other) => other.seat.id === seat.id)
      if (picked) {
        choose(chosen.value.filter((other) => other.seat.id !== seat.id))
        announcer.say(t('map.putBack', { seat: seatName(seat), count: chosen.value.length }))
      } else if (chosen.value.length >= ticketsLeft.value) {
        const limit = ticketsLeft.value
        const text = () => (limit ? t('map.limitReached', { limit }) : t('map.noMore'))
        announcer.interrupt(text())
        notices.show({ tone: 'news', text })
        return
      } else {
        choose([...chosen.value, { seat, section: one, level: levelOf(one, seat) }])
        announcer.say(
          t('map.nowChosen', {
            seat: seatName(seat),
            count: chosen.value.length,
            limit: ticketsLeft.value,
          }),
        )
      }
    },
    drop(seatIds) {
      notices.clear()
      choose(chosen.value.filter(({ seat }) => !seatIds.includes(seat.id)))
    },
    replace: choose,
    freeze(freeze) {
      frozen = freeze
      for (const one of new Set(chosen.value.map(({ section }) => section))) {
        dropTakenSeats(one)
      }
    },
    seen(one) {
      const [seats, statuses] = [layouts.value.get(one.id), seenAs(one)?.statuses]
      return seats && statuses ? { seats, statuses } : null
    },
    async load(sectionIds) {
      const wanted = event.value?.sections.filter(({ id }) => sectionIds.includes(id)) ?? []
      await Promise.allSettled(wanted.map(loadLayout))
    },
    lend(seatIds) {
      lent.value = new Set(seatIds)
    },
    async restore() {
      const seats = kept.read() ?? []
      if (seats.length === 0 || chosen.value.length > 0) return
      await choice.load(seats.map(({ sectionId }) => sectionId))
      choose(seats.flatMap(({ id }) => choice.find(id) ?? []).slice(0, ticketsLeft.value))
    },
    find(seatId) {
      for (const one of event.value?.sections ?? []) {
        const seat = layouts.value.get(one.id)?.find(({ id }) => id === seatId)
        if (seat) return { seat, section: one, level: levelOf(one, seat) }
      }
      return undefined
    },
  }
  return choice
}
