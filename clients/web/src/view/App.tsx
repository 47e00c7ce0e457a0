import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../i18n/texts.ts'
import { clockTime } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import type { Step } from '../model/step.ts'
import { meanwhile } from '../model/trouble.ts'
import { EventView } from './EventView.tsx'
import { KeptTickets } from './KeptTickets.tsx'
import { NoticeBar } from './NoticeBar.tsx'
import { NEXT, STEPS } from './steps.ts'
import { TopBar } from './TopBar.tsx'

export function App({ page }: { page: Page }) {
  const { state, step, announcer, online } = page
  useTitle(page)
  usePreloading(page)
  const main = useRef<HTMLElement>(null)
  const entered = useRef<Step | null>(null)
  const current = step.value
  const lazy = current === 'event' ? null : STEPS[current]
  const View = lazy ? lazy.view.value : EventView
  const isShown = state.value === 'open' && View !== null

  // A screen reader must announce the new step, so its heading gets the focus. The fan opened the first step.
  useEffect(() => {
    if (!isShown) return
    if (entered.current && entered.current !== current) {
      main.current?.querySelector<HTMLElement>('h1')?.focus()
      scrollTo(0, 0)
    }
    entered.current = current
  }, [current, isShown])

  return (
    <>
      <TopBar page={page} />
      <main ref={main} class={`step-${current}`}>
        {!online.value && (
          <p class="notice lost">
            <strong>{t('page.noConnection')}</strong> {t('page.noConnectionHint')} {meanwhile(current)}
          </p>
        )}
        <NoticeBar notices={page.notices} />
        {state.value !== 'open' ? (
          <NotOpen page={page} />
        ) : View ? (
          <View page={page} />
        ) : lazy?.failed.value ? (
          <NotLoaded />
        ) : (
          <Loading />
        )}
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

/** Loads the step on show, and the next one while the fan is busy with this one. */
function usePreloading({ step, state, line, sale }: Page) {
  useSignalEffect(() => {
    const current = step.value
    if (state.value !== 'open') return
    // The answer to the fan who joins takes as long as the load of the step that it leads to.
    if (current === 'event' && line.busy.value) void STEPS[sale.value?.waitingRoom ? 'line' : 'seats'].load()
    if (current === 'event') return
    const next = NEXT[current]
    void STEPS[current].load().then(() => next && STEPS[next].load())
  })
}

/** A part of the page could not be loaded. Some browsers remember a failed import, so only a reload tries again. */
function NotLoaded() {
  return (
    <div class="plain">
      <h1>{t('page.unreachable')}</h1>
      <p>{t('page.noAnswer')}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {t('page.tryAgain')}
      </button>
    </div>
  )
}

function Loading() {
  return (
    <div class="plain" aria-busy="true">
      <h1 class="unseen">{t('page.loading')}</h1>
      <div class="ghost tall" />
      <div class="ghost" />
      <div class="ghost" />
    </div>
  )
}

function NotOpen({ page }: { page: Page }) {
  switch (page.state.value) {
    case 'missing':
      return (
        <div class="plain">
          <h1>{t('page.missing')}</h1>
          <p>{t('page.missingHint')}</p>
        </div>
      )
    case 'unreachable':
      return (
        <div class="plain">
          <h1>{t('page.unreachable')}</h1>
          <p>{t('page.unreachableHint')}</p>
          <button type="button" class="primary" onClick={() => page.open()}>
            {t('page.tryAgain')}
          </button>
          <KeptTickets slug={page.slug} account={page.account.name.value} />
        </div>
      )
    default:
      return <Loading />
  }
}

/** Shows the place or the time to pay in the tab's title, for a fan who looks at another tab. */
function useTitle({ event, step, line, purchase, time }: Page) {
  useSignalEffect(() => {
    const name = event.value?.name ?? t('page.title')
    const { position, state } = line.position.value ?? {}
    const hold = purchase.hold.value
    const ahead =
      step.value === 'line' && state === 'WAITING' && position != null
        ? t('page.titlePlace', { place: position })
        : ''
    const left =
      hold && step.value === 'pay'
        ? t('page.toPay', { time: clockTime(time.secondsUntil(hold.expiresAt)) })
        : ''
    const turn = step.value === 'seats' ? t('page.titleTurn') : ''
    document.title = [ahead || left || turn, name].filter(Boolean).join(' · ')
  })
}
