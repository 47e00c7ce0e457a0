import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Page, Step } from '../model/page.ts'
import { clockTime, meanwhile } from '../texts.ts'
import { EventView } from './EventView.tsx'
import { KeptTickets } from './KeptTickets.tsx'
import { LineView } from './LineView.tsx'
import { NoticeBar } from './NoticeBar.tsx'
import { Pay } from './Pay.tsx'
import { Seats } from './Seats.tsx'
import { Tickets } from './Tickets.tsx'
import { TopBar } from './TopBar.tsx'

const STEPS: Record<Step, (props: { page: Page }) => ComponentChildren> = {
  event: EventView,
  line: LineView,
  seats: Seats,
  pay: Pay,
  tickets: Tickets,
}

export function App({ page }: { page: Page }) {
  const { state, step, announcer, online } = page
  useTitle(page)
  const main = useRef<HTMLElement>(null)
  const entered = useRef<Step | null>(null)

  // A screen reader must announce the new step, so its heading gets the focus. The fan opened the first step.
  const current = step.value
  useEffect(() => {
    if (state.value !== 'open') return
    if (entered.current && entered.current !== current) {
      main.current?.querySelector<HTMLElement>('h1')?.focus()
      scrollTo(0, 0)
    }
    entered.current = current
  }, [current, state.value])

  const View = STEPS[current]
  return (
    <>
      <TopBar page={page} />
      <main ref={main} class={`step-${current}`}>
        {!online.value && (
          <p class="notice lost">
            <strong>No connection.</strong> This page tries again by itself. {meanwhile(current)}
          </p>
        )}
        <NoticeBar notices={page.notices} />
        {state.value === 'open' ? <View page={page} /> : <NotOpen page={page} />}
      </main>
      <p class="unseen" role="status">
        {announcer.polite}
      </p>
      <p class="unseen" role="alert">
        {announcer.urgent}
      </p>
    </>
  )
}

function NotOpen({ page }: { page: Page }) {
  switch (page.state.value) {
    case 'missing':
      return (
        <div class="plain">
          <h1>There is no such event</h1>
          <p>Check the address: a part of it may be missing.</p>
        </div>
      )
    case 'unreachable':
      return (
        <div class="plain">
          <h1>The box office does not answer</h1>
          <p>Your place in the line is kept while this page is closed. Try again in a moment.</p>
          <button type="button" class="primary" onClick={() => page.open()}>
            Try again
          </button>
          <KeptTickets slug={page.slug} account={page.account.name.value} />
        </div>
      )
    default:
      return (
        <div class="plain" aria-busy="true">
          <h1 class="unseen">Loading the event</h1>
          <div class="ghost tall" />
          <div class="ghost" />
          <div class="ghost" />
        </div>
      )
  }
}

/** Shows the place or the time to pay in the tab's title, for a fan who looks at another tab. */
function useTitle({ event, step, line, purchase, time }: Page) {
  useSignalEffect(() => {
    const name = event.value?.name ?? 'Tickets'
    const { position, state } = line.position.value ?? {}
    const hold = purchase.hold.value
    const ahead =
      step.value === 'line' && state === 'WAITING' && position != null
        ? `No. ${position.toLocaleString()}`
        : ''
    const left = hold && step.value === 'pay' ? `${clockTime(time.secondsUntil(hold.expiresAt))} to pay` : ''
    const turn = step.value === 'seats' ? 'Your turn' : ''
    document.title = [ahead || left || turn, name].filter(Boolean).join(' · ')
  })
}
