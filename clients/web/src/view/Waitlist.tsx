import type { Sale } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { count } from '../texts.ts'
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
        <h3>You are on the waitlist for {count(entry.quantity, 'ticket')}</h3>
        <p>
          {entry.position === 1
            ? 'You are next. '
            : entry.position !== null &&
              `${count(entry.position - 1, 'person is', 'people are')} before you. `}
          When matching seats become free, we hold them for you for a while. This page shows them, and you get
          an e-mail.
        </p>
        <button type="button" disabled={waitlist.busy.value} onClick={() => waitlist.leave()}>
          Leave the waitlist
        </button>
      </>
    )
  }
  if (!account.name.value) return <SignIn page={page} label="Join the waitlist" then={() => undefined} />

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
      <h3>Wait for returned seats</h3>
      {entry?.state === 'LAPSED' && (
        <p>
          <strong>Your entry on the waitlist has ended:</strong> the offer went to the next fan, or the sale
          has ended. While the sale is on, you can join again at the end.
        </p>
      )}
      <p>
        Sometimes an order is cancelled. Its seats are offered to the fans on the waitlist, in the order of
        joining.
      </p>
      <label for="quantity">Tickets</label>
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
        <input name="fewer" type="checkbox" /> I take fewer if not enough seats become free
      </label>
      <button type="submit" class="primary" disabled={waitlist.busy.value}>
        {waitlist.busy.value ? 'Joining…' : 'Join the waitlist'}
      </button>
    </form>
  )
}
