import { useSignal } from '@preact/signals'
import type { Sale } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { AccountField, AccountHint } from './AccountField.tsx'

/** The waitlist of a sold-out sale: join it, leave it, or see the entry. */
export function Waitlist({ page, sale }: { page: Page; sale: Sale }) {
  const { waitlist, purchase } = page
  const most = sale.ticketLimit - purchase.tickets.value.length
  const entry = waitlist.entry.value
  if (most < 1) return null
  if (entry?.state === 'WAITING' || entry?.state === 'OFFERED') {
    return (
      <>
        <h3>{t('page.onWaitlist', { count: entry.quantity })}</h3>
        <p>
          {entry.position === 1
            ? t('page.youAreNext')
            : entry.position !== null && t('page.aheadOnWaitlist', { count: entry.position - 1 })}{' '}
          {t('page.waitlistHint')}
        </p>
        <button type="button" disabled={waitlist.busy.value} onClick={() => waitlist.leave()}>
          {t('page.leaveWaitlist')}
        </button>
      </>
    )
  }
  return <JoinWaitlist page={page} most={most} hasLapsed={entry?.state === 'LAPSED'} />
}

/** One form and one press, also for a fan who is not signed in. */
function JoinWaitlist({ page, most, hasLapsed }: { page: Page; most: number; hasLapsed: boolean }) {
  const { waitlist, account } = page
  const signingIn = useSignal(false)
  const busy = waitlist.busy.value || signingIn.value
  async function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    const wish = new FormData(submitted.currentTarget as HTMLFormElement)
    const quantity = Number(wish.get('quantity'))
    const acceptFewer = wish.has('fewer')
    if (!account.name.value) {
      signingIn.value = true
      const signedIn = await page.signIn(String(wish.get('account')).trim())
      signingIn.value = false
      // The account may have an entry already, or tickets.
      const state = waitlist.entry.value?.state
      if (!signedIn || state === 'WAITING' || state === 'OFFERED') return
    }
    await waitlist.join(page.event.value?.id ?? '', { quantity, acceptFewer })
  }
  return (
    <form class="waitlist" onSubmit={submit}>
      <h3>{t('page.waitForReturned')}</h3>
      {hasLapsed && (
        <p>
          <strong>{t('page.entryEnded')}</strong> {t('page.entryEndedWhy')}
        </p>
      )}
      <p>{t('page.waitlistHow')}</p>
      <label for="quantity">{t('page.ticketsWanted')}</label>
      <input
        id="quantity"
        name="quantity"
        type="number"
        required
        min={1}
        max={most}
        value={Math.min(2, most)}
      />
      <label class="check">
        <input name="fewer" type="checkbox" /> {t('page.acceptFewer')}
      </label>
      {!account.name.value && <AccountField />}
      <button type="submit" class="primary" disabled={busy}>
        {busy ? t('page.joining') : t('page.joinWaitlist')}
      </button>
      {!account.name.value && <AccountHint />}
    </form>
  )
}
