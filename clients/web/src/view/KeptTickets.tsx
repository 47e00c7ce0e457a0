import { useSignal } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import { loadTexts } from '../i18n/texts.ts'
import { type KeptTickets as Kept, readKeptTickets } from '../model/keptTickets.ts'
import type { OrdersByEventProps } from './OrdersByEvent.tsx'

/** The tickets of an event that this device has kept, for a page that cannot reach the service; nothing without any. */
export function KeptTickets({ slug, account }: { slug: string; account: string | null }) {
  const kept = readKeptTickets()
  const orders = kept && ordersOf(kept, slug, account)
  const view = useSignal<FunctionComponent<OrdersByEventProps> | null>(null)
  useEffect(() => {
    if (!orders?.length) return
    // The service worker has kept these files too.
    void Promise.all([import('./OrdersByEvent.tsx'), loadTexts('tickets')]).then(
      ([{ OrdersByEvent }]) => {
        view.value = OrdersByEvent
      },
      () => undefined,
    )
  }, [])
  const View = view.value
  if (!View || !kept || !orders?.length) return null
  return (
    <div class="tickets">
      <View orders={orders} keptAt={kept.at} />
    </div>
  )
}

/** A sign-in that has expired hides no ticket at the door; a sign-out deletes them. */
function ordersOf({ account: owner, orders }: Kept, slug: string, account: string | null) {
  if (account !== null && account !== owner) return []
  return orders.filter(({ event }) => event.slug === slug)
}
