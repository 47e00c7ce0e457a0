import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, type EventPage, type Fairgate, type QueuePosition } from '../../../sdk/index.ts'
import { CHECKING, CHECKING_TAKES, joinRefusal, TURN_LAPSED, trouble } from '../texts.ts'
import type { Announcer } from './announcer.ts'
import type { Notices } from './notice.ts'

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
      announcer.say(next.paused ? 'The line is paused.' : 'The line moves again.')
    }
  }

  function announceState({ state, position: ahead }: QueuePosition) {
    if (state === 'ADMITTED' || state === 'OPEN') announcer.interrupt('It is your turn. Choose your seats.')
    if (state === 'PRE_QUEUE') announcer.say('You are in the line. The order is drawn when the sale opens.')
    if (state === 'WAITING' && ahead !== null) announcer.say(`You are number ${ahead} in the line.`)
    if (state === 'LAPSED') announcer.interrupt(TURN_LAPSED.spoken)
    if (state === 'SOLD_OUT') announcer.interrupt('Every seat is sold.')
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
        actions: [{ label: 'Move my place back here', run: () => void line.join(true) }],
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
            if (isChecking) announcer.say(`${CHECKING} ${CHECKING_TAKES}`)
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
            ? { actions: [{ label: 'Move my place here', run: () => void line.join(true) }] }
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
        announcer.say('You left the line.')
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
