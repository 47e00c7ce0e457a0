import { type ReadonlySignal, signal } from '@preact/signals'
import type { AccountState, Fairgate, Hold, WaitlistEntry, WaitlistWish } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import { waitlistRefusal } from './joinTexts.ts'
import type { Notices } from './notice.ts'
import { trouble } from './trouble.ts'

/** The fan's entry on the waitlist for returned seats. */
export interface WaitlistModel {
  /** The latest entry, even if it has ended; null if the fan was never on this waitlist. */
  readonly entry: ReadonlySignal<Pick<WaitlistEntry, 'id' | 'state' | 'quantity' | 'position'> | null>
  readonly busy: ReadonlySignal<boolean>
  join(eventId: string, wish: WaitlistWish): Promise<void>
  leave(): Promise<void>
  resume(accountState: AccountState): void
  drop(): void
}

interface Deps {
  fairgate: Fairgate
  /** Called with the hold of an offer. */
  offered(hold: Hold): void
  notices: Notices
  announcer: Announcer
}

export function createWaitlistModel({ fairgate, offered, notices, announcer }: Deps): WaitlistModel {
  const { waitlist } = fairgate
  const entry: WaitlistModel['entry'] & { value: WaitlistModel['entry']['value'] } = signal(null)
  const busy = signal(false)
  let stopWatching = () => {}

  function take(now: WaitlistEntry) {
    const before = entry.value?.state
    entry.value = now
    if (now.state === before) return
    if (now.state === 'OFFERED' && now.hold?.state === 'ACTIVE') {
      offered(now.hold)
      announcer.interrupt(t('page.offered'))
    }
  }

  function watch(id: string) {
    stopWatching()
    stopWatching = waitlist.watch(id, take, () => undefined)
  }

  async function whileBusy(work: () => Promise<void>) {
    if (busy.value) return
    busy.value = true
    notices.clear()
    try {
      await work()
    } catch (error) {
      notices.show({ tone: 'problem', text: () => trouble(error) })
    } finally {
      busy.value = false
    }
  }

  return {
    entry,
    busy,
    join: (eventId, wish) =>
      whileBusy(async () => {
        const result = await waitlist.join(eventId, wish)
        if (result.__typename !== 'WaitlistEntry') {
          notices.show({ tone: 'problem', text: () => waitlistRefusal(result) })
          return
        }
        take(result)
        watch(result.id)
        announcer.say(t('page.nowOnWaitlist'))
      }),
    leave: () =>
      whileBusy(async () => {
        const { id } = entry.value ?? {}
        if (!id) return
        take(await waitlist.leave(id))
        stopWatching()
        announcer.say(t('page.leftWaitlist'))
      }),
    resume({ waitlist: [last] }) {
      if (!last) return
      entry.value = last
      if (last.state === 'WAITING' || last.state === 'OFFERED') watch(last.id)
    },
    drop() {
      stopWatching()
      entry.value = null
    },
  }
}
