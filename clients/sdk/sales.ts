import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { type FollowBy, follow } from './follow.ts'
import type { Live } from './live.ts'
import { readBelongings, readEventPage, watchSale } from './operations.ts'
import type { Belongings, EventPage, Sale } from './schema.ts'

export interface Sales {
  /** Null where there is no such event. */
  page(slug: string): Promise<EventPage | null>
  /** What the account has here already: for a page that was reloaded. Null without an account. */
  belongings(eventId: string): Promise<Belongings | null>
  /** The public state as a CDN has it. */
  read(eventId: string, signal?: AbortSignal): Promise<Sale>
  /** What everybody sees. Where no socket can be had, from the public document that a CDN serves. */
  watch(
    eventId: string,
    next: (sale: Sale) => void,
    failed: (error: unknown) => void,
    by?: FollowBy,
  ): () => void
}

interface Deps {
  client: Client
  live: Live
  clock: Clock
}

const ASK_EVERY_SECONDS = 3

export function createSales({ client, live, clock }: Deps): Sales {
  async function read(eventId: string, signal?: AbortSignal): Promise<Sale> {
    return (await client.get(`/events/${eventId}/waiting-room.json`, { signal })) as Sale
  }

  return {
    read,
    async page(slug) {
      const { eventBySlug } = await client.request(readEventPage, { slug })
      if (eventBySlug) clock.hear(eventBySlug.sale.asOf)
      return eventBySlug
    },
    async belongings(eventId) {
      const { viewer } = await client.request(readBelongings, { eventId })
      return viewer && { ...viewer, orders: viewer.orders.edges.map(({ node }) => node) }
    },
    watch(eventId, next, failed, by) {
      const take = (sale: Sale) => {
        clock.hear(sale.asOf)
        next(sale)
      }
      return follow({
        live,
        by,
        operation: watchSale,
        variables: () => ({ eventId }),
        next: (data) => take(data.saleUpdated),
        async ask(signal) {
          take(await read(eventId, signal))
          return ASK_EVERY_SECONDS * (0.75 + Math.random() / 2)
        },
        failed,
      })
    },
  }
}
