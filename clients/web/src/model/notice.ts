import { type ReadonlySignal, signal } from '@preact/signals'

export interface Notice {
  tone: 'news' | 'problem'
  /** In the language in use: the fan may choose another one while the notice stands. */
  text(): string
  /** What the fan can do about it. */
  actions?(): NoticeAction[]
}

export interface NoticeAction {
  label: string
  run(): void
}

/** The one notice above the page's content. It stays until the fan answers it or another one replaces it. */
export interface Notices {
  readonly current: ReadonlySignal<Notice | null>
  show(notice: Notice): void
  clear(): void
}

export function createNotices(): Notices {
  const current = signal<Notice | null>(null)
  return {
    current,
    show(notice) {
      current.value = notice
    },
    clear() {
      current.value = null
    },
  }
}
