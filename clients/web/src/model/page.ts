import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, type EventPage, type Fairgate, isTransient, type Sale } from '../../../sdk/index.ts'
import { loadTexts, t } from '../i18n/texts.ts'
import { useAccent } from './accent.ts'
import { type AccountModel, createAccount } from './account.ts'
import { type Announcer, createAnnouncer } from './announcer.ts'
import { type Choice, createChoice } from './choice.ts'
import type { KeptSeat } from './chosenSeats.ts'
import { announceGone } from './goneNews.ts'
import { keepInStep } from './inStep.ts'
import { keptInTab } from './kept.ts'
import { forgetTickets, keepTicketsOf } from './keptTickets.ts'
import { createLine, type Line } from './line.ts'
import { createNotices, type Notices } from './notice.ts'
import { createOnline } from './online.ts'
import { createPurchase, type Purchase } from './purchase.ts'
import { createStep, type Step } from './step.ts'
import { createTime, type Time } from './time.ts'
import { trouble } from './trouble.ts'
import { createWaitlistModel, type WaitlistModel } from './waitlist.ts'

export interface Page {
  readonly slug: string
  readonly state: ReadonlySignal<'opening' | 'open' | 'missing' | 'unreachable'>
  readonly event: ReadonlySignal<EventPage | null>
  readonly sale: ReadonlySignal<Sale | null>
  /** False while the service cannot be reached. */
  readonly online: ReadonlySignal<boolean>
  readonly step: ReadonlySignal<Step>
  /** True where the fan may choose seats now, also beside seats that are held. */
  readonly mayChoose: ReadonlySignal<boolean>
  readonly account: AccountModel
  readonly line: Line
  readonly choice: Choice
  /** The number of tickets that this account may still buy. */
  readonly ticketsLeft: ReadonlySignal<number>
  readonly purchase: Purchase
  readonly waitlist: WaitlistModel
  readonly time: Time
  readonly notices: Notices
  readonly announcer: Announcer
  readonly fairgate: Fairgate
  /** Loads the page and continues at the step where the fan was. `ready`: what must be loaded before it shows anything. */
  open(ready?: Promise<void>): Promise<void>
  signIn(name: string): Promise<boolean>
  signOut(): void
  /** Reads the account's state again, which another tab or device may have changed. */
  follow(): Promise<void>
  showTickets(show: boolean): void
}

/** Without an answer by then the page says that the service does not answer. */
const ANSWERS_WITHIN_MS = 5_000

export function createPage(fairgate: Fairgate, slug: string): Page {
  const { sales, clock, session } = fairgate
  const state = signal<'opening' | 'open' | 'missing' | 'unreachable'>('opening')
  const event = signal<EventPage | null>(null)
  const sale = signal<Sale | null>(null)
  const atTickets = signal(false)
  const notices = createNotices()
  const announcer = createAnnouncer()
  const time = createTime(clock)
  const account = createAccount(fairgate)
  const line = createLine({ slug, fairgate, event, refused: recover, notices, announcer })
  const ticketsLeft = computed(() =>
    Math.max(0, (sale.value?.ticketLimit ?? 0) - purchase.tickets.value.length),
  )
  const kept = keptInTab<readonly KeptSeat[]>(slug, 'chosen')
  const choice = createChoice({ fairgate, event, ticketsLeft, kept, notices, announcer })
  const purchase = createPurchase({ fairgate, slug, event, choice, notices, announcer })
  const waitlist = createWaitlistModel({ fairgate, offered: purchase.take, notices, announcer })

  const { step, mayChoose } = createStep({ sale, account, line, purchase, atTickets })

  async function resume(eventId: string) {
    const name = account.name.value
    if (!name) return line.resume(null)
    try {
      // The texts of a purchase that the account may have begun.
      const [accountState] = await Promise.all([sales.accountState(eventId), loadTexts('buy')])
      // Another tab may have changed the account meanwhile: then the page reads that one's state.
      if (account.name.value !== name) return
      // The service does not know the token, for example after a reset.
      if (!accountState) return leaveAccount()
      purchase.resume(accountState)
      waitlist.resume(accountState)
      line.resume(accountState.queuePosition)
      const queueState = line.position.value?.state
      if (queueState === undefined || queueState === 'FINISHED' || queueState === 'OPEN')
        atTickets.value = purchase.tickets.value.length > 0
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') leaveAccount()
      notices.show({ tone: 'problem', text: () => trouble(error) })
    }
  }

  let stopSale = () => {}
  function enter(found: EventPage) {
    event.value = found
    sale.value = found.sale
    useAccent(found.appearance?.accentColor ?? null)
    stopSale()
    stopSale = sales.watch(
      found.id,
      (next) => {
        const before = sale.value
        sale.value = next
        if (before && step.value !== 'pay' && step.value !== 'tickets')
          announceGone(found, before, next, page)
      },
      (error) => void (error instanceof ApiError && recover(error)),
    )
  }

  /**
   * Recovers after the API refused the account, the place or the event. After a reset of the database the slug may
   * belong to a new event with another id. The state of the old event is then dropped.
   */
  async function recover(error: ApiError) {
    if (isTransient(error)) return
    if (error.code === 'UNAUTHENTICATED') leaveAccount()
    const found = await sales.page(slug).catch(() => undefined)
    if (found === undefined || found?.id === event.value?.id) return
    forgetAll()
    if (!found) {
      state.value = 'missing'
      return
    }
    session.queueToken = null
    session.admissionToken = null
    enter(found)
    await resume(found.id)
    notices.show({ tone: 'news', text: () => t('page.startedAgain') })
  }

  function leaveAccount() {
    account.signOut()
    forgetAll()
  }

  function forgetAll() {
    atTickets.value = false
    line.drop()
    choice.replace([])
    choice.open(null)
    purchase.drop()
    waitlist.drop()
  }

  // Runs before the announcements of the new step: a signal runs its effects at once.
  effect(() => {
    step.value
    announcer.clear()
    notices.clear()
  })
  keepTicketsOf({ event, account, purchase })
  const online = createOnline({ fairgate, event, step, announcer })
  purchase.bought.subscribe((order) => {
    if (order) atTickets.value = true
  })

  async function follow() {
    // At once: with the new name, the orders of the account before it would be kept as the new one's.
    batch(() => account.follow() && forgetAll())
    if (event.value) await resume(event.value.id)
  }
  keepInStep({
    fairgate,
    slug,
    account,
    line,
    purchase,
    waitlist,
    isOpen: () => state.peek() === 'open',
    follow,
  })

  const page: Page = {
    slug,
    state,
    event,
    sale,
    online,
    step,
    mayChoose,
    account,
    line,
    choice,
    ticketsLeft,
    purchase,
    waitlist,
    time,
    notices,
    announcer,
    fairgate,
    async open(ready) {
      state.value = 'opening'
      // The page keeps asking meanwhile. A fan at the door sees the tickets that this device has kept.
      const slow = setTimeout(
        () => {
          state.value = 'unreachable'
        },
        navigator.onLine ? ANSWERS_WITHIN_MS : 0,
      )
      try {
        const [found] = await Promise.all([sales.page(slug), ready])
        if (!found) {
          state.value = 'missing'
          return
        }
        enter(found)
        await resume(found.id)
        state.value = 'open'
      } catch {
        state.value = 'unreachable'
        addEventListener('online', () => void page.open(), { once: true })
      } finally {
        clearTimeout(slow)
      }
    },
    async signIn(name) {
      notices.clear()
      try {
        await account.signIn(name)
        if (event.value) await resume(event.value.id)
        return true
      } catch (error) {
        const isElsewhere = error instanceof ApiError && error.code === 'NOT_FOUND'
        const text = () => (isElsewhere ? t('page.signInElsewhere') : trouble(error))
        notices.show({ tone: 'problem', text })
        return false
      }
    },
    signOut() {
      // The codes are the account's. A sign-in that has only expired keeps them for the door.
      forgetTickets()
      leaveAccount()
    },
    follow,
    showTickets(show) {
      atTickets.value = show
    },
  }
  return page
}
