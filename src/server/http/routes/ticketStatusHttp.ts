import type { App } from '../../../app.ts'
import { STATUS_LIST_TYPE, STATUS_TTL_SECONDS } from '../../../sale/orders/ticketStatus.ts'
import type { Priority } from '../../graphql/priority.ts'
import { PUBLIC_HEADERS, toDigested } from '../responses.ts'
import { createSharedAnswers } from './sharedAnswers.ts'

/** A day of stale lists during an outage: a stale list still stops most void tickets. */
const HEADERS = {
  ...PUBLIC_HEADERS,
  'content-type': `application/${STATUS_LIST_TYPE}`,
  'cache-control': `public, max-age=${STATUS_TTL_SECONDS}, stale-if-error=86400`,
}

/** `/events/:id/ticket-status`: the signed list of void tickets. It is made at most once in ten seconds. */
export function createTicketStatusHttp({ app, priority }: { app: App; priority: Priority }) {
  return createSharedAnswers({
    priority,
    freshMs: 10_000,
    oldestMs: 20_000,
    async make(id) {
      const list = await app.ticketStatus.list(id)
      return list === null ? null : toDigested(list, HEADERS)
    },
  })
}
