import { type ReadonlySignal, signal } from '@preact/signals'
import type { Fairgate, QueuePosition } from '../../../sdk/index.ts'
import { joinRefusal, trouble } from '../words.ts'
import type { Announcer } from './announcer.ts'
import type { Notices } from './notice.ts'

/** This account's place in the line. */
export interface Line {
  /** Null: it has none, as far as is known. */
  readonly position: ReadonlySignal<QueuePosition | null>
  readonly busy: ReadonlySignal<boolean>
  join(eventId: string, moveHere?: boolean): Promise<void>
  leave(): Promise<void>
  /** Takes up the place that the session remembers, or one that the server remembers. */
  resume(known: QueuePosition | null): void
  /** Stops following, as when somebody else signs in. */
  drop(): void
}

interface Deps {
  fairgate: Fairgate
  notices: Notices
  announcer: Announcer
}

export function createLine({ fairgate, notices, announcer }: Deps): Line {
  const { waitingRoom, session } = fairgate
  const position = signal<QueuePosition | null>(null)
  const busy = signal(false)
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
    if (state === 'PRE_QUEUE') announcer.say('You are in. The order is made when the sale opens.')
    if (state === 'WAITING' && ahead !== null) announcer.say(`You are number ${ahead} in the line.`)
    if (state === 'LAPSED') announcer.interrupt('Your turn has run out.')
    if (state === 'SOLD_OUT') announcer.interrupt('Every seat is sold.')
  }

  function watch() {
    stop()
    stop = waitingRoom.watch(take, (error) => {
      position.value = null
      notices.show({ tone: 'problem', text: trouble(error) })
    })
  }

  const line: Line = {
    position,
    busy,
    async join(eventId, moveHere) {
      busy.value = true
      notices.clear()
      try {
        const result = await waitingRoom.join(eventId, moveHere ? { moveHere } : {})
        if (result.__typename === 'QueuePosition') {
          take(result)
          watch()
          return
        }
        notices.show({
          tone: 'problem',
          text: joinRefusal(result),
          ...(result.__typename === 'PlaceOnOtherDevice'
            ? { actions: [{ label: 'Move my place here', run: () => line.join(eventId, true) }] }
            : {}),
        })
      } catch (error) {
        notices.show({ tone: 'problem', text: trouble(error) })
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
        notices.show({ tone: 'problem', text: trouble(error) })
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
