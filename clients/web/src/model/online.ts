import { type ReadonlySignal, signal } from '@preact/signals'
import type { EventPage, Fairgate } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import type { Step } from './step.ts'
import { meanwhile } from './trouble.ts'

interface Deps {
  fairgate: Fairgate
  event: ReadonlySignal<EventPage | null>
  step: ReadonlySignal<Step>
  announcer: Announcer
}

/** Returns whether the service can be reached, and announces each change. */
export function createOnline({ fairgate, event, step, announcer }: Deps): ReadonlySignal<boolean> {
  const { connectivity, sales } = fairgate
  const online = signal(true)
  connectivity.onChange((up) => {
    online.value = up
    if (up) announcer.say(t('page.connected'))
    else announcer.interrupt(`${t('page.connectionLost')} ${meanwhile(step.value)}`)
  })
  // The device notices a lost connection before a request fails. Only an answer proves that it is back.
  addEventListener('offline', () => connectivity.unanswered())
  addEventListener('online', () => void (event.value && sales.read(event.value.id).catch(() => undefined)))
  return online
}
