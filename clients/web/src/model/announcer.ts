import { type ReadonlySignal, signal } from '@preact/signals'

/** What a screen reader is told of changes that nobody asked for just now. */
export interface Announcer {
  readonly polite: ReadonlySignal<string>
  readonly urgent: ReadonlySignal<string>
  /** At the reader's next pause. */
  say(text: string): void
  /** At once: a turn that has come, time that runs out, a seat that is lost. */
  interrupt(text: string): void
  /** What was said of a step that is over is not read again. */
  clear(): void
}

export function createAnnouncer(): Announcer {
  const polite = signal('')
  const urgent = signal('')
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

/** A live region that is set to what it says already stays silent: the same sentence differs by a no-break space. */
function set(region: { value: string }, text: string) {
  region.value = region.value === text ? `${text}\u00a0` : text
}
