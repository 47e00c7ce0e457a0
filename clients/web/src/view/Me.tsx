import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError, type Fairgate, type OrderOfEvent, sandboxToken } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import { accountOf, onOtherAccount } from '../model/account.ts'
import { keepTickets, onOtherTickets, readKeptTickets } from '../model/keptTickets.ts'
import { trouble } from '../model/trouble.ts'
import { Mark } from './Mark.tsx'
import { OrdersByEvent } from './OrdersByEvent.tsx'
import { LanguageMenu } from './TopBar.tsx'

type Seen =
  | { state: 'loading' }
  | { state: 'signed-out'; problem?: string }
  | { state: 'failed'; problem: string }
  /** `keptAt`: when this device kept them; null: they come from the service. */
  | { state: 'shown'; orders: readonly OrderOfEvent[]; keptAt: number | null }

/** The account's tickets of all events: from the service, or without a network from this device. */
export function Me({ fairgate }: { fairgate: Fairgate }) {
  const seen = useSignal<Seen>(keptBy(accountOf(fairgate.session.accountToken)) ?? { state: 'loading' })

  const account = () => accountOf(fairgate.session.accountToken)
  const shown = useRef(account())
  async function load() {
    const name = account()
    shown.current = name
    const found = await read(fairgate)
    // Another tab may have signed in or out meanwhile.
    if (account() === name) seen.value = found
  }
  /** What this device has kept, where it has kept something. */
  function showKept(isAway?: boolean) {
    seen.value = keptBy(account(), isAway) ?? seen.value
  }
  async function signIn(name: string) {
    try {
      fairgate.session.accountToken = await sandboxToken(location.origin, name)
      await load()
    } catch (error) {
      const isReal = error instanceof ApiError && error.code === 'NOT_FOUND'
      seen.value = { state: 'signed-out', problem: isReal ? t('page.signInElsewhere') : trouble(error) }
    }
  }
  useEffect(() => {
    document.title = t('page.myTickets')
    void load()
    const goesAway = () => showKept(true)
    const stops = [
      onOtherAccount(
        fairgate,
        () => shown.current,
        () => {
          seen.value = keptBy(account()) ?? { state: 'loading' }
          void load()
        },
      ),
      onOtherTickets(() => showKept()),
    ]
    addEventListener('online', load)
    addEventListener('offline', goesAway)
    return () => {
      for (const stop of stops) stop()
      removeEventListener('online', load)
      removeEventListener('offline', goesAway)
    }
  }, [])

  const { value } = seen
  return (
    <>
      <header class="topbar">
        <Mark />
        <LanguageMenu />
      </header>
      <main class="tickets me">
        <h1 tabIndex={-1}>{t('page.myTickets')}</h1>
        {value.state === 'loading' && <div class="ghost tall" aria-busy="true" />}
        {value.state === 'failed' && (
          <>
            <p role="alert">{value.problem}</p>
            <button type="button" onClick={load}>
              {t('page.tryAgain')}
            </button>
          </>
        )}
        {value.state === 'signed-out' && (
          <>
            <SignInHere signIn={signIn} problem={value.problem} />
            <KeptOrders />
          </>
        )}
        {value.state === 'shown' && <OrdersByEvent orders={value.orders} keptAt={value.keptAt} />}
      </main>
    </>
  )
}

async function read({ session, checkout }: Fairgate): Promise<Seen> {
  const account = accountOf(session.accountToken)
  const signedOut: Seen = { state: 'signed-out' }
  if (account === null) return signedOut
  try {
    const orders = await checkout.orders()
    if (!orders) return signedOut
    const withTickets = orders.filter(({ tickets }) => tickets.length > 0)
    keepTickets(account, withTickets)
    return { state: 'shown', orders: withTickets, keptAt: null }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') return signedOut
    return keptBy(account, true) ?? { state: 'failed', problem: trouble(error) }
  }
}

/** What this device has kept of the account, at once; the service's answer replaces it. Null where it has kept nothing. */
function keptBy(account: string | null, isAway = !navigator.onLine): Seen | null {
  const kept = readKeptTickets()
  if (!kept || kept.account !== account) return null
  return { state: 'shown', orders: kept.orders, keptAt: isAway ? kept.at : null }
}

/** The tickets that this device has kept: a sign-in that has expired hides no ticket at the door. */
function KeptOrders() {
  const kept = readKeptTickets()
  return kept && <OrdersByEvent orders={kept.orders} keptAt={kept.at} />
}

function SignInHere({ signIn, problem }: { signIn(name: string): void; problem?: string }) {
  function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    signIn(String(new FormData(submitted.currentTarget as HTMLFormElement).get('account')))
  }
  return (
    <form class="signin" onSubmit={submit}>
      <p>{t('tickets.signInToSee')}</p>
      <label for="account">{t('page.accountName')}</label>
      <div class="row">
        <input
          id="account"
          name="account"
          required
          maxLength={64}
          autocomplete="username"
          autocapitalize="none"
        />
        <button type="submit" class="primary">
          {t('tickets.signIn')}
        </button>
      </div>
      <p class="faint">{t('page.sandboxSignIn')}</p>
      <p role="alert">{problem}</p>
    </form>
  )
}
