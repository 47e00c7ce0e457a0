import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { LANGUAGES, type Language } from '../i18n/locale.ts'
import { chooseLanguage, locale, t } from '../i18n/texts.ts'
import { clockTime } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import { Mark } from './Mark.tsx'

export function TopBar({ page }: { page: Page }) {
  const { account, purchase, step, event } = page
  const isBuying = step.value === 'seats' || step.value === 'pay'
  const tickets = purchase.tickets.value.length
  const name = account.name.value
  return (
    <header class="topbar">
      <Mark />
      {step.value !== 'event' && <p class="what">{event.value?.name}</p>}
      <div class="row">
        <TimeInside page={page} />
        {tickets > 0 && step.value !== 'tickets' && step.value !== 'pay' && (
          <button type="button" class="chip" onClick={() => page.showTickets(true)}>
            {t('page.ticketCount', { count: tickets })}
          </button>
        )}
        <LanguageMenu />
        {name && (
          <AccountMenu name={name} signOut={page.signOut}>
            {isBuying && <LanguageMenu />}
          </AccountMenu>
        )}
      </div>
    </header>
  )
}

/** The page's language. The control is the browser's own; the chip above it shows the language in short. */
export function LanguageMenu() {
  const { language } = locale()
  return (
    <label class="language chip">
      <span class="unseen">{t('page.language')}</span>
      <span aria-hidden="true">{language.toUpperCase()}</span>
      <select
        value={language}
        onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface AccountMenuProps {
  name: string
  signOut(): void
  /** What a narrow bar has no room for. */
  children: ComponentChildren
}

/** The account's menu. It covers the page; Escape or a press outside closes it. */
function AccountMenu({ name, signOut, children }: AccountMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = menu
      if (!current?.open) return
      if (event instanceof KeyboardEvent ? event.key !== 'Escape' : current.contains(event.target as Node))
        return
      current.open = false
      if (event instanceof KeyboardEvent) current.querySelector('summary')?.focus()
    }
    addEventListener('keydown', close)
    addEventListener('pointerdown', close)
    return () => {
      removeEventListener('keydown', close)
      removeEventListener('pointerdown', close)
    }
  }, [])
  return (
    <details class="who" ref={menu}>
      <summary>{name}</summary>
      <div class="sheet">
        <p>{t('page.signedInAs', { name })}</p>
        {children}
        <a class="button" href="/me">
          {t('page.myTickets')}
        </a>
        <button type="button" onClick={signOut}>
          {t('page.signOut')}
        </button>
      </div>
    </details>
  )
}

/** The time left to choose seats. It is hidden during a hold, which has its own clock. */
function TimeInside({ page }: { page: Page }) {
  const admission = page.line.position.value?.admission
  if (page.step.value !== 'seats' || !admission) return null
  const seconds = page.time.secondsUntil(admission.expiresAt)
  return (
    <p class={seconds <= 60 ? 'chip hurry' : 'chip'} role="timer" aria-label={t('page.timeToChoose')}>
      {t('page.toChoose', { time: clockTime(seconds) })}
    </p>
  )
}
