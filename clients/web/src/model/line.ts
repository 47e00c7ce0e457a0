import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, type EventPage, type Fairgate, type QueuePosition } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import { type CallMe, createCallMe } from './callMe.ts'
import { joinRefusal } from './joinTexts.ts'
import { isSoon, passedMilestone } from './milestones.ts'
import type { Notices } from './notice.ts'
import { trouble } from './trouble.ts'

/** This account's place in the line. */
export interface Line {
  /** Null: the account has no known place. */
  readonly position: ReadonlySignal<QueuePosition | null>
  readonly busy: ReadonlySignal<boolean>
  /** True where another device has the place of this account. */
  readonly elsewhere: ReadonlySignal<boolean>
  /** True from the moment at which the draw gave this place its number, on a page that was open. */
  readonly justDrawn: ReadonlySignal<boolean>
  readonly callMe: CallMe
  /** True while the browser solves a challenge. */
  readonly checking: ReadonlySignal<boolean>
  join(moveHere?: boolean): Promise<void>
  leave(): Promise<void>
  /** Continues with the place of the session, or with the one that the server returned. */
  resume(known: QueuePosition | null): void
  /** Ends the subscription, for example when another account signs in. */
  drop(): void
}

interface Deps {
  slug: string
  fairgate: Fairgate
  event: ReadonlySignal<EventPage | null>
  /** Called with every error of the API: the event or the account may have changed. */
  refused(error: ApiError): Promise<void>
  notices: Notices
  announcer: Announcer
}

export function createLine({ slug, fairgate, event, refused, notices, announcer }: Deps): Line {
  const { waitingRoom, session } = fairgate
  const position = signal<QueuePosition | null>(null)
  let hasCalledSoon = false
  const busy = signal(false)
  const checking = signal(false)
  const elsewhere = signal(false)
  const justDrawn = signal(false)
  const callMe = createCallMe(localStorage, slug, fairgate)
  let stop = () => {}

  function take(next: QueuePosition) {
    const before = position.value
    elsewhere.value = false
    justDrawn.value = before?.state === 'PRE_QUEUE' ? next.place !== null : justDrawn.value
    position.value = next
    if (before?.state !== next.state) announceState(next)
    else if (next.state === 'WAITING') announceProgress(before, next)
    if (!hasCalledSoon && isSoon(next)) {
      // Once: the estimate of a slow line comes and goes.
      hasCalledSoon = true
      announcer.say(t('page.milestoneSoon'))
      void callMe.call(t('page.callSoonTitle'), t('page.callSoonBody', { event: event.value?.name ?? '' }))
    }
  }

  function announceProgress(before: QueuePosition, next: QueuePosition) {
    if (before.paused !== next.paused) announcer.say(next.paused ? t('page.linePaused') : t('page.lineMoves'))
    else if (passedMilestone(before, next))
      announcer.say(t('page.numberInLine', { place: next.position ?? 1 }))
  }

  function announceState({ state, position: ahead }: QueuePosition) {
    if (state === 'ADMITTED' || state === 'OPEN') {
      announcer.interrupt(t('page.yourTurnNow'))
      void callMe.call(t('page.callTurnTitle'), t('page.callTurnBody', { event: event.value?.name ?? '' }))
    }
    if (state === 'PRE_QUEUE') announcer.say(t('page.inTheLine'))
    if (state === 'WAITING' && ahead !== null) announcer.say(t('page.numberInLine', { place: ahead }))
    if (state === 'LAPSED') announcer.interrupt(t('page.turnEnded'))
    if (state === 'SOLD_OUT') announcer.interrupt(t('page.everySeatSold'))
  }

  function watch() {
    stop()
    stop = waitingRoom.watch(take, (error) => {
      position.value = null
      failed(error)
    })
  }

  function failed(error: unknown) {
    // Before the notice: signing out changes the step, and a new step clears the notices.
    if (error instanceof ApiError) void refused(error)
    elsewhere.value = error instanceof ApiError && error.code === 'QUEUE_TOKEN_INVALID'
    notices.show({ tone: 'problem', text: () => trouble(error) })
  }

  const line: Line = {
    position,
    busy,
    checking,
    elsewhere,
    justDrawn,
    callMe,
    async join(moveHere) {
      busy.value = true
      notices.clear()
      try {
        const result = await waitingRoom.join(event.value?.id ?? '', {
          moveHere,
          checking(isChecking) {
            checking.value = isChecking
            if (isChecking) announcer.say(`${t('page.checking')} ${t('page.checkingTakes')}`)
          },
        })
        if (result.__typename === 'QueuePosition') {
          take(result)
          watch()
          void callMe.renew()
          return
        }
        elsewhere.value = result.__typename === 'PlaceOnOtherDevice'
        if (elsewhere.value) announcer.interrupt(joinRefusal(result))
        else notices.show({ tone: 'problem', text: () => joinRefusal(result) })
      } catch (error) {
        failed(error)
      } finally {
        busy.value = false
      }
    },
    async leave() {
      busy.value = true
      try {
        await waitingRoom.leave()
        line.drop()
        announcer.say(t('page.leftLine'))
      } catch (error) {
        failed(error)
      } finally {
        busy.value = false
      }
    },
    resume(known) {
      if (known) {
        waitingRoom.keep(known)
        take(known)
      }
      if (session.queueToken) watch()
    },
    drop() {
      stop()
      hasCalledSoon = false
      position.value = null
      elsewhere.value = false
      justDrawn.value = false
    },
  }
  return line
}
