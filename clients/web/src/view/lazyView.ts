import { type ReadonlySignal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { type Group, loadTexts } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'

type View = ComponentType<{ page: Page }>

/** The view of a step, with its texts. It is loaded when the fan comes near the step. */
export interface LazyView {
  /** Null until the view and its texts are loaded. */
  readonly view: ReadonlySignal<View | null>
  /** True after a load that failed: the device has no connection, or a newer build replaced the files. */
  readonly failed: ReadonlySignal<boolean>
  /** Loads what is missing. It never rejects. */
  load(): Promise<void>
}

export function lazyView(find: () => Promise<View>, ...groups: readonly Group[]): LazyView {
  const view = signal<View | null>(null)
  const failed = signal(false)
  let loading: Promise<void> | null = null

  async function loadAll() {
    failed.value = false
    try {
      const [found] = await Promise.all([find(), loadTexts(...groups)])
      view.value = found
    } catch {
      failed.value = true
      loading = null
    }
  }
  return {
    view,
    failed,
    load() {
      loading ??= loadAll()
      return loading
    },
  }
}
