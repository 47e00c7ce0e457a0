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
import { formatter, t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import type { Notice, Notices } from './notice.ts'
import { trouble } from './trouble.ts'

export interface ChosenSeat {
  readonly seat: Seat
  readonly section: Section
  readonly level: PriceLevel
}

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
}

interface Deps {
  fairgate: Fairgate
  event: ReadonlySignal<EventPage | null>
  /** The number of tickets that this account may still buy. */
  ticketsLeft: ReadonlySignal<number>
  notices: Notices
  announcer: Announcer
}

export function createChoice({ fairgate, event, ticketsLeft, notices, announcer }: Deps): Choice {
  const { seatMap } = fairgate
  const section = signal<Section | null>(null)
  const layouts = signal<ReadonlyMap<string, readonly Seat[]>>(new Map())
  const sections = signal<ReadonlyMap<string, SectionNow>>(new Map())
  const chosen = signal<readonly ChosenSeat[]>([])
  const refusedFor = signal<{ choice: readonly ChosenSeat[]; seatIds: readonly string[] } | null>(null)
  const stranded = computed(() => (refusedFor.value?.choice === chosen.value ? refusedFor.value.seatIds : []))
  const subscriptions = new Map<string, () => void>()
  let frozen = false
  /** The lost seats of the current notice. Seats that are lost one after the other share one notice. */
  let lost: { notice: Notice; names: readonly string[] } | null = null

  const layout = computed(() => (section.value && layouts.value.get(section.value.id)) || null)
  const now = computed(() => (section.value && sections.value.get(section.value.id)) || null)

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
          dropTakenSeats(one, next.statuses)
        },
        (error) => {
          subscriptions.delete(one.id)
          if (section.value?.id === one.id) choice.open(null)
          // The line itself reports the end of an admission.
          if (error instanceof ApiError && error.code === 'ADMISSION_REQUIRED') return
          notices.show({ tone: 'problem', text: trouble(error) })
        },
      ),
    )
  }

  function dropTakenSeats(one: Section, statuses: Uint8Array | null | undefined) {
    if (!statuses || frozen) return
    const gone = chosen.value.filter(
      ({ section, seat }) => section.id === one.id && statuses[seat.index] !== AVAILABLE,
    )
    if (gone.length === 0) return
    const names = gone.map(({ seat }) => seatName(seat))
    const before = lost && lost.notice === notices.current.value ? lost.names : []
    choice.drop(gone.map(({ seat }) => seat.id))
    announcer.interrupt(takenText(names))
    const all = [...before, ...names]
    lost = { notice: { tone: 'news', text: takenText(all) }, names: all }
    notices.show(lost.notice)
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
      seatMap.layout(event.value?.id ?? '', next).then(
        (seats) => {
          layouts.value = new Map(layouts.value).set(next.id, seats)
        },
        (error) => {
          notices.show({
            tone: 'problem',
            text: trouble(error),
            actions: [{ label: t('map.loadAgain'), run: () => choice.open(next) }],
          })
        },
      )
    },
    toggle(seat) {
      const one = section.value
      if (!one) return
      frozen = false
      notices.clear()
      const picked = chosen.value.some((other) => other.seat.id === seat.id)
      if (picked) {
        chosen.value = chosen.value.filter((other) => other.seat.id !== seat.id)
        announcer.say(t('map.putBack', { seat: seatName(seat), count: chosen.value.length }))
      } else if (chosen.value.length >= ticketsLeft.value) {
        const text = ticketsLeft.value ? t('map.limitReached', { limit: ticketsLeft.value }) : t('map.noMore')
        announcer.interrupt(text)
        notices.show({ tone: 'news', text })
        return
      } else {
        chosen.value = [...chosen.value, { seat, section: one, level: levelOf(one, seat) }]
        announcer.say(
          t('map.nowChosen', {
            seat: seatName(seat),
            count: chosen.value.length,
            limit: ticketsLeft.value,
          }),
        )
      }
      subscribeToSections()
    },
    drop(seatIds) {
      notices.clear()
      chosen.value = chosen.value.filter(({ seat }) => !seatIds.includes(seat.id))
      subscribeToSections()
    },
    replace(seats) {
      chosen.value = seats
      subscribeToSections()
    },
    freeze(freeze) {
      frozen = freeze
      for (const one of new Set(chosen.value.map(({ section }) => section))) {
        dropTakenSeats(one, sections.value.get(one.id)?.statuses)
      }
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

function takenText(names: readonly string[]): string {
  return t('map.justTaken', { seats: formatter().list(names), count: names.length })
}
