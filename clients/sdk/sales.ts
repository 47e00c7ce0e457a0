import { AccountStateDocument, EventPageDocument, SaleUpdatedDocument } from './generated/operations.ts'
import type { Connections } from './transport/connections.ts'
import { subscribeOrPoll, type Transport } from './transport/subscribeOrPoll.ts'
import type { AccountState, EventPage, Sale } from './types.ts'

export interface Sales {
  /** The event and its sale; null if there is no such event. */
  page(slug: string): Promise<EventPage | null>
  /** The account's holds, orders and place, for example after a reload. Null without an account. */
  accountState(eventId: string): Promise<AccountState | null>
  /** The public state, which a CDN may serve. */
  read(eventId: string, signal?: AbortSignal): Promise<Sale>
  /** Watches the public state. Without a socket it reads the document that a CDN serves. */
  watch(
    eventId: string,
    next: (sale: Sale) => void,
    failed: (error: unknown) => void,
    by?: Transport,
  ): () => void
}

const POLL_EVERY_SECONDS = 3

export function createSales({ client, socket, clock }: Connections): Sales {
  async function read(eventId: string, signal?: AbortSignal): Promise<Sale> {
    return (await client.get(`/events/${eventId}/waiting-room.json`, { signal })) as Sale
  }

  return {
    read,
    async page(slug) {
      const { eventBySlug } = await client.request(EventPageDocument, { slug })
      if (eventBySlug) clock.sync(eventBySlug.sale.asOf)
      return eventBySlug
    },
    async accountState(eventId) {
      const { viewer } = await client.request(AccountStateDocument, { eventId })
      return viewer && { ...viewer, orders: viewer.orders.edges.map(({ node }) => node) }
    },
    watch(eventId, next, failed, by) {
      const take = (sale: Sale) => {
        clock.sync(sale.asOf)
        next(sale)
      }
      return subscribeOrPoll({
        socket,
        by,
        operation: SaleUpdatedDocument,
        variables: () => ({ eventId }),
        next: (data) => take(data.saleUpdated),
        async poll(signal) {
          take(await read(eventId, signal))
          return POLL_EVERY_SECONDS * (0.75 + Math.random() / 2)
        },
        failed,
      })
    },
  }
}
