import { useEffect } from 'preact/hooks'
import type { Page } from '../model/page.ts'

/** What an entry of the browser's history shows. `changing`: other seats, beside those that are held. */
export type Shown = 'choosing' | 'changing' | 'pay' | 'tickets'

interface Entry {
  readonly shows?: Shown
  /** The entries of this page before it, up to the one that the fan opened. */
  readonly depth: number
}

const entry = (): Entry => ({ depth: 0, ...history.state })

/** Adds an entry, so that the browser's Back button leads to the present one. */
export function pushEntry(shows: Shown | undefined, address = location.href): void {
  history.pushState({ shows, depth: entry().depth + 1 }, '', address)
}

const mark = (shows: Shown) => history.replaceState({ ...entry(), shows }, '')

let isFollowed = false

/** Gives the step on show its entry, and lets the browser's Back and Forward buttons lead from step to step. */
export function useEntry(page: Page, shows: Shown): void {
  useEffect(() => {
    if (!isFollowed) addEventListener('popstate', () => follow(page))
    isFollowed = true
  }, [])
  useEffect(() => show(shows), [shows])
}

function show(shows: Shown): void {
  const { shows: before, depth } = entry()
  if (shows === before) return
  const isOpened = before === undefined && depth === 0
  if (isOpened || (shows === 'tickets' && before === 'pay')) mark(shows)
  else if (shows === 'pay' || shows === 'tickets') pushEntry(shows)
  // The hold is over. The entry before its own has the same address.
  else if (before === 'pay' && depth > 0) history.back()
  else mark(shows)
}

function follow({ purchase, mayChoose, showTickets }: Page): void {
  const { shows, depth } = entry()
  if (purchase.hold.value) {
    if (shows === 'pay') purchase.keep()
    else if (purchase.state.value !== 'idle') history.forward()
    else if (mayChoose.value && !purchase.changing.value) void purchase.change()
    return
  }
  showTickets(shows === 'tickets')
  // The seats of a purchase that is done cannot be chosen again: Back leads to the event at once.
  if (shows !== 'tickets' && !mayChoose.value && depth > 0) history.go(-depth)
}
