import type { ReadonlySignal } from '@preact/signals'
import type { Hold, HoldRefusal, HoldSelection, Seat } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import { holdRefusal } from '../model/buyTexts.ts'
import type { Choice } from '../model/choice.ts'
import type { Lapsed } from '../model/chosenSeats.ts'
import type { Notice } from '../model/notice.ts'
import { blockActions, harmlessBlock } from './blockActions.ts'

type Explained = Exclude<HoldRefusal, { __typename: 'NotEnoughAvailable' }>
type OwnSeats = Extract<HoldRefusal, { __typename: 'SeatsInOwnHold' }>

/** What the page holds and held, and what a fan may do after a refusal. */
export interface Refused {
  readonly choice: Choice
  readonly hold: ReadonlySignal<Hold | null>
  readonly lapsed: ReadonlySignal<Lapsed | null>
  reserve(selection: HoldSelection): void
  /** Shows another hold of the fan. */
  show(other: Hold): void
  /** Shows the hold and the chosen seats that may replace it. */
  exchange(own: Hold, seatIds: readonly string[]): Promise<void>
}

/** Explains why a selection is not held, and offers what the fan can do about it in one tap. Drops chosen seats that are taken. */
export async function explainRefusal(
  refusal: Explained,
  selection: HoldSelection,
  { choice, hold, lapsed, reserve, show, exchange }: Refused,
): Promise<Notice> {
  const again = (seats: string[]) => reserve({ seats })
  switch (refusal.__typename) {
    case 'OrphanSeats': {
      const { stranded } = refusal
      choice.markStranded(stranded)
      const better = harmlessBlock(stranded, selection.seats ?? [], choice)
      const seats = known(stranded)
      return problem(
        () => holdRefusal(refusal, seats.map(seatName)),
        () => blockActions(better, choice, again),
      )
    }
    case 'SeatsTaken': {
      await loadChosen(selection)
      choice.drop(refusal.unavailable)
      const seats = known(refusal.unavailable)
      const isHeld = hold.value !== null && seats.length > 0
      return problem(
        () => {
          const names = seats.map(seatName)
          return isHeld
            ? t('buy.takenButHeld', { seats: formatter().list(names) })
            : holdRefusal(refusal, names)
        },
        () => blockActions(refusal.alternatives, choice, again),
      )
    }
    case 'SeatsInOwnHold':
      return ownSeats(refusal)
    default:
      return problem(() => holdRefusal(refusal, []))
  }

  async function ownSeats(refusal: OwnSeats) {
    const { hold: own, seats } = refusal
    const text = () => holdRefusal(refusal, [])
    if (hold.value) {
      // Two holds cannot be exchanged in one step. The fan may give one of them back.
      choice.drop(seats)
      return problem(text, () => [{ label: t('buy.showOwn'), run: () => show(own) }])
    }
    await loadChosen(selection)
    await exchange(own, selection.seats ?? [])
    return problem(text, () => [{ label: t('buy.exchangeOwn'), run: () => reserve(selection) }])
  }

  async function loadChosen({ seats }: HoldSelection) {
    const own = new Set(seats)
    const before = [...(lapsed.value?.items ?? []), ...choice.chosen.value]
    await choice.load(before.filter(({ seat }) => own.has(seat?.id ?? '')).map(({ section }) => section.id))
  }

  /** The seats that the page knows now. */
  function known(seatIds: readonly string[]): Pick<Seat, 'row' | 'number'>[] {
    const before = new Map(lapsed.value?.items.map(({ seat }) => [seat?.id, seat]))
    return seatIds.flatMap((id) => choice.find(id)?.seat ?? before.get(id) ?? [])
  }
}

function problem(text: Notice['text'], actions?: Notice['actions']): Notice {
  return { tone: 'problem', text, ...(actions ? { actions } : {}) }
}
