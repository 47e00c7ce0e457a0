import { type ReadonlySignal, type Signal, signal } from '@preact/signals'

/** Announces changes to screen readers that the fan did not start. A text goes after some seconds. */
export interface Announcer {
  readonly polite: ReadonlySignal<string>
  readonly urgent: ReadonlySignal<string>
  /** Announces the text at the screen reader's next pause. */
  say(text: string): void
  /** Announces the text at once: a turn that starts, a time limit, a lost seat. */
  interrupt(text: string): void
  /** Removes the announcements, so that those of an earlier step are not read again. */
  clear(): void
}

/** A screen reader reads a text when it comes. Later it would only be an old text on the page, such as "1 minute left". */
const STAYS_MS = 8_000

export function createAnnouncer(): Announcer {
  const polite = signal('')
  const urgent = signal('')
  const timers = new Map<Signal<string>, ReturnType<typeof setTimeout>>()

  /** A screen reader ignores an unchanged live region. A no-break space makes a repeated sentence a change. */
  function set(region: Signal<string>, text: string) {
    region.value = region.value === text ? `${text}\u00a0` : text
    clearTimeout(timers.get(region))
    timers.set(
      region,
      setTimeout(() => {
        region.value = ''
      }, STAYS_MS),
    )
  }

  return {
    polite,
    urgent,
    say: (text) => set(polite, text),
    interrupt: (text) => set(urgent, text),
    clear() {
      polite.value = ''
      urgent.value = ''
    },
  }
}
