import { execute, parse } from 'graphql'
import type { App } from '../../../app.ts'
import { schema } from '../../../resolvers/schema.ts'
import type { Priority } from '../../graphql/priority.ts'
import { anonymousContext } from '../../graphql/requestContext.ts'
import { type Cacheable, PUBLIC_HEADERS, toDigested } from '../responses.ts'
import { createSharedAnswers } from './sharedAnswers.ts'

/** Every field of Sale. */
const SALE = parse(`query PublicState($id: ID!) {
  event(id: $id) {
    sale {
      id eventId state preQueueOpensAt opensAt endsAt ticketLimit holdSeconds seatPicking available held
      sections { sectionId available }
      prices { priceLevelId available held }
      asOf
      waitingRoom {
        eventId admittedUpTo admissionRate paused waiting inside enoughFor
        draw { commitment seed size beaconSource beacon }
      }
      payments { provider publishableKey }
    }
  }
}`)

/** A CDN may serve the state for two seconds, and a stale state for ten minutes while the API is down. */
const HEADERS = { ...PUBLIC_HEADERS, 'cache-control': 'public, max-age=2, stale-if-error=600' }

/** `/events/:id/waiting-room.json`: a sale's public state. It is read at most once a second, for all clients together. */
export function createPublicState({ app, priority }: { app: App; priority: Priority }) {
  async function make(id: string): Promise<Cacheable | null> {
    const contextValue = anonymousContext(app, 'waiting-room')
    const result = await execute({ schema, document: SALE, variableValues: { id }, contextValue })
    const [error] = result.errors ?? []
    if (error) throw error
    const event = result.data?.event as { sale: unknown } | null
    return event && toDigested(JSON.stringify(event.sale), HEADERS)
  }

  return createSharedAnswers({ priority, freshMs: 1_000, oldestMs: 2_000, make })
}
