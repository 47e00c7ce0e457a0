import { readKeptTickets } from '../model/keptTickets.ts'
import { OrdersByEvent } from './OrdersByEvent.tsx'

/** The tickets of an event that this device has kept, for a page that cannot reach the service; nothing without any. */
export function KeptTickets({ slug, account }: { slug: string; account: string | null }) {
  const kept = readKeptTickets()
  // A sign-in that has expired hides no ticket at the door; a sign-out deletes them.
  const isOthers = account !== null && kept?.account !== account
  const orders = isOthers ? [] : (kept?.orders.filter(({ event }) => event.slug === slug) ?? [])
  if (!kept || orders.length === 0) return null
  return (
    <div class="tickets">
      <OrdersByEvent orders={orders} keptAt={kept.at} />
    </div>
  )
}
