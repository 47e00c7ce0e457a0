import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import type { Section } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import { clockTime } from '../i18n/times.ts'
import { decoded } from '../model/address.ts'
import { keptInTab } from '../model/kept.ts'
import type { Page } from '../model/page.ts'
import { createWish } from '../model/wish.ts'
import { Basket } from './Basket.tsx'
import { Draw } from './Draw.tsx'
import { pushEntry, useEntry } from './entries.ts'
import { Hall } from './Hall.tsx'
import { SectionView } from './SectionView.tsx'
import { Wish } from './Wish.tsx'

/** In the address of the hall. A section's address has its key. */
const PLAN = '/plan'

/**
 * The choice by quantity first, and on request the hall and its sections. A fan who is admitted at once sees the draw only
 * here.
 */
export function Seats({ page }: { page: Page }) {
  const { choice, event, sale, purchase } = page
  const position = page.line.position.value
  const isPlan = usePlanInAddress(page)
  const shows = purchase.changing.value ? 'changing' : 'choosing'
  useEntry(page, shows)
  const wish = useMemo(() => createWish({ ...page, kept: keptInTab(page.slug, 'wish') }), [])
  const section = choice.section.value
  const names = event.value?.sections.some(({ kind }) => kind === 'SEATED') && sale.value?.seatPicking
  /** The browser's Back button leads from a section to the hall, and from there to the choice by quantity. */
  function go(hash: string) {
    pushEntry(shows, hash ? `#${encodeURIComponent(hash)}` : location.pathname)
    dispatchEvent(new PopStateEvent('popstate'))
  }
  useFollowing(page)
  useFocusOnHeading(!isPlan || !names ? 'quantity' : section ? 'section' : 'hall')
  const open = useCallback(
    (next: Section | null) => {
      if (next?.kind !== 'GENERAL_ADMISSION') return go(next ? next.key : PLAN)
      wish.set({ offer: next.id })
      go('')
    },
    [shows],
  )
  if (!event.value) return null
  const above = purchase.changing.value ? <Changing page={page} /> : <LapsedSeats page={page} />
  if (!isPlan || !names) {
    return (
      <div class="choosing">
        {above}
        <Wish page={page} wish={wish} chooseMyself={names ? () => go(PLAN) : undefined} />
        {position && <Draw page={page} position={position} />}
      </div>
    )
  }
  return (
    <>
      {above}
      <div class={section || choice.chosen.value.length ? 'inside' : 'inside looking'}>
        {section ? (
          <SectionView page={page} section={section} back={() => open(null)} />
        ) : (
          <div>
            <button type="button" class="quiet back" onClick={() => go('')}>
              <span aria-hidden="true" class="arrow" />
              {t('buy.byQuantity')}
            </button>
            <Hall page={page} title={t('map.chooseSection')} open={open} />
            {position && <Draw page={page} position={position} />}
          </div>
        )}
        <Basket page={page} />
      </div>
    </>
  )
}

/** Moves the focus to the new heading: the button that led there is gone. */
function useFocusOnHeading(view: 'quantity' | 'hall' | 'section') {
  const shown = useRef(view)
  useEffect(() => {
    if (shown.current !== view) document.querySelector<HTMLElement>('main h1')?.focus()
    shown.current = view
  }, [view])
}

/** Another device may have reserved seats since the fan looked at this page. */
function useFollowing({ follow }: Page) {
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void follow()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
}

/** Returns whether the address shows the hall or a section, and opens that section. */
function usePlanInAddress({ choice, event }: Page): boolean {
  const isPlan = useSignal(false)
  useEffect(() => {
    function follow() {
      const key = decoded(location.hash.slice(1))
      const section = event.value?.sections.find((section) => section.key === key) ?? null
      isPlan.value = section !== null || key === PLAN
      choice.open(section)
    }
    follow()
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  return isPlan.value
}

/** Leads back to the seats that are held while the fan chooses others. */
function Changing({ page: { purchase, time } }: { page: Page }) {
  const hold = purchase.hold.value
  if (!hold) return null
  return (
    <div class="notice news beside">
      <p>{t('buy.stillYours', { time: clockTime(time.secondsUntil(hold.expiresAt)) })}</p>
      <button type="button" onClick={purchase.keep}>
        {t('buy.keepMine', { count: hold.items.length })}
      </button>
    </div>
  )
}

/** Offers the seats of a hold that lapsed. */
function LapsedSeats({ page: { purchase, event, sale } }: { page: Page }) {
  const items = purchase.lapsed.value?.items
  if (!items?.length || purchase.hold.value) return null
  const names = items.map(({ seat, section }) => (seat ? seatName(seat) : section.name))
  return (
    <div class="notice news beside">
      <p>{t('buy.heldBefore', { seats: formatter().list([...new Set(names)]) })}</p>
      <button
        type="button"
        disabled={purchase.state.value !== 'idle' || sale.value?.state === 'PAUSED'}
        onClick={() => purchase.again(event.value?.id ?? '')}
      >
        {t('buy.again')}
      </button>
    </div>
  )
}
