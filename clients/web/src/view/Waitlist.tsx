import type { Sale } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { SignIn } from './SignIn.tsx'

/** The waitlist of a sold-out sale: join it, leave it, or see the entry. */
export function Waitlist({ page, sale }: { page: Page; sale: Sale }) {
  const { waitlist, account, purchase } = page
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
  if (!account.name.value) return <SignIn page={page} label={t('page.joinWaitlist')} then={() => undefined} />

  function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    const wish = new FormData(submitted.currentTarget as HTMLFormElement)
    void waitlist.join(page.event.value?.id ?? '', {
      quantity: Number(wish.get('quantity')),
      acceptFewer: wish.has('fewer'),
    })
  }
  return (
    <form class="waitlist" onSubmit={submit}>
      <h3>{t('page.waitForReturned')}</h3>
      {entry?.state === 'LAPSED' && (
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
      <button type="submit" class="primary" disabled={waitlist.busy.value}>
        {waitlist.busy.value ? t('page.joining') : t('page.joinWaitlist')}
      </button>
    </form>
  )
}
