import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, type EventPage, type Fairgate, type QueuePosition } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import { joinRefusal } from './joinTexts.ts'
import type { Notices } from './notice.ts'
import { trouble } from './trouble.ts'

/** This account's place in the line. */
export interface Line {
  /** Null: the account has no known place. */
  readonly position: ReadonlySignal<QueuePosition | null>
  readonly busy: ReadonlySignal<boolean>
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
  fairgate: Fairgate
  event: ReadonlySignal<EventPage | null>
  /** Called with every error of the API: the event or the account may have changed. */
  refused(error: ApiError): Promise<void>
  notices: Notices
  announcer: Announcer
}

export function createLine({ fairgate, event, refused, notices, announcer }: Deps): Line {
  const { waitingRoom, session } = fairgate
  const position = signal<QueuePosition | null>(null)
  const busy = signal(false)
  const checking = signal(false)
  let stop = () => {}

  function take(next: QueuePosition) {
    const before = position.value
    position.value = next
    if (before?.state !== next.state) announceState(next)
    else if (before.paused !== next.paused && next.state === 'WAITING') {
      announcer.say(next.paused ? t('page.linePaused') : t('page.lineMoves'))
    }
  }

  function announceState({ state, position: ahead }: QueuePosition) {
    if (state === 'ADMITTED' || state === 'OPEN') announcer.interrupt(t('page.yourTurnNow'))
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
    const isElsewhere = error instanceof ApiError && error.code === 'QUEUE_TOKEN_INVALID'
    notices.show({
      tone: 'problem',
      text: trouble(error),
      ...(isElsewhere && {
        actions: [{ label: t('page.movePlaceBack'), run: () => void line.join(true) }],
      }),
    })
  }

  const line: Line = {
    position,
    busy,
    checking,
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
          return
        }
        notices.show({
          tone: 'problem',
          text: joinRefusal(result),
          ...(result.__typename === 'PlaceOnOtherDevice'
            ? { actions: [{ label: t('page.moveHere'), run: () => void line.join(true) }] }
            : {}),
        })
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
      position.value = null
    },
  }
  return line
}
