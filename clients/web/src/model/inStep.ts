import { computed } from '@preact/signals'
import type { Fairgate } from '../../../sdk/index.ts'
import { type AccountModel, onOtherAccount } from './account.ts'
import type { Line } from './line.ts'
import type { Purchase } from './purchase.ts'
import { createTabs } from './tabs.ts'
import type { WaitlistModel } from './waitlist.ts'

interface Deps {
  fairgate: Fairgate
  slug: string
  account: AccountModel
  line: Line
  purchase: Purchase
  waitlist: WaitlistModel
  /** True once the page shows the fan's own state. */
  isOpen(): boolean
  /** Reads account and state again. */
  follow(): Promise<void>
}

/** Keeps the tabs of a fan in step: those of one event in all that they show, those of other events in the account. */
export function keepInStep(deps: Deps): void {
  const { fairgate, slug, account, line, purchase, waitlist, isOpen, follow } = deps
  /** What all tabs of a fan show alike. */
  const shared = computed(() =>
    [
      account.name.value,
      line.position.value?.state,
      purchase.hold.value?.id,
      purchase.tickets.value.length,
      waitlist.entry.value?.state,
    ].join(' '),
  )
  const tabs = createTabs({
    channel: typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`fairgate.${slug}`),
    shown: () => shared.value,
    follow,
  })
  let isFirst = true
  shared.subscribe(() => {
    if (isOpen() && !isFirst) tabs.changed()
    isFirst = false
  })
  onOtherAccount(
    fairgate,
    () => account.name.value,
    () => void follow().catch(() => undefined),
  )
}
