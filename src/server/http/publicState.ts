import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute, parse } from 'graphql'
import type { App } from '../../app.ts'
import { schema } from '../../resolvers/schema.ts'
import type { Priority } from '../graphql/priority.ts'
import { anonymousContext } from '../graphql/requestContext.ts'
import { type Cacheable, PUBLIC_HEADERS, sendCacheable, sendError, toCacheable } from './responses.ts'

/** Every field of Sale. */
const SALE = parse(`query PublicState($id: ID!) {
  event(id: $id) {
    sale {
      id state preQueueOpensAt opensAt endsAt ticketLimit holdSeconds seatPicking available held
      sections { sectionId available }
      asOf
      waitingRoom {
        eventId admittedUpTo admissionRate paused waiting inside
        draw { commitment seed size beaconSource beacon }
      }
      payments { provider publishableKey }
    }
  }
}`)

/** A CDN may serve the state for two seconds, and a stale state for ten minutes while the API is down. */
const HEADERS = { ...PUBLIC_HEADERS, 'cache-control': 'public, max-age=2, stale-if-error=600' }
/** After FRESH_MS, a request starts a refresh; after OLDEST_MS, the request also waits for it. */
const FRESH_MS = 1_000
const OLDEST_MS = 2_000
/** The longest wait for a refresh, where there is an older state to send. Stores that work answer sooner. */
const PATIENCE_MS = 250
const KEPT_STATES = 256

interface Kept {
  last?: Cacheable
  madeAt: number
  making?: Promise<Cacheable | null>
}

/**
 * `/events/:id/waiting-room.json`: a sale's public state. It is read at most once a second, for all clients together. During an
 * outage the last state is sent.
 */
export function createPublicState({ app, priority }: { app: App; priority: Priority }) {
  // Not async/boundedCache.ts: ids that were made up go first. And not async/singleFlight.ts: the last state outlives its time.
  const kept = new Map<string, Kept>()

  async function make(id: string): Promise<Cacheable | null> {
    const contextValue = anonymousContext(app, 'waiting-room')
    const result = await execute({ schema, document: SALE, variableValues: { id }, contextValue })
    const [error] = result.errors ?? []
    if (error) throw error
    const event = result.data?.event as { sale: unknown } | null
    if (!event) return null
    const body = JSON.stringify(event.sale)
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
    return toCacheable(body, `"${digest}"`, HEADERS)
  }

  function makeOnce(id: string, state: Kept): Promise<Cacheable | null> {
    // The first read of an id, which may be made up, waits for its turn in the priorities. A refresh runs at most once a second.
    const begin = () => (state.last ? make(id) : priority.run('maps', () => make(id)))
    state.making ??= begin()
      .then((made) => {
        if (made) Object.assign(state, { last: made, madeAt: performance.now() })
        else kept.delete(id)
        return made
      })
      .catch((error) => {
        if (!state.last) kept.delete(id)
        throw error
      })
      .finally(() => {
        state.making = undefined
      })
    return state.making
  }

  /** Evicts states that were never read first: requests for made-up ids evict no known state during an outage. */
  function evictOne() {
    const [[oldest] = []] = kept
    const [[unmade] = []] = [...kept].filter(([, { last }]) => !last)
    kept.delete((unmade ?? oldest) as string)
  }

  /** Returns without a promise where the state is fresh, which is nearly every time. */
  function stateOf(id: string): Cacheable | Promise<Cacheable | null> {
    const state = kept.get(id) ?? { madeAt: Number.NEGATIVE_INFINITY }
    const age = performance.now() - state.madeAt
    if (state.last && age < FRESH_MS) return state.last
    if (!kept.has(id)) {
      if (kept.size === KEPT_STATES) evictOne()
      kept.set(id, state)
    }
    const made = makeOnce(id, state)
    const { last } = state
    if (!last) return made
    const orLast = made.catch(() => last)
    return age < OLDEST_MS ? last : Promise.race([orLast, sleep(PATIENCE_MS, last)])
  }

  return (request: IncomingMessage, response: ServerResponse, id: string): Promise<void> | void => {
    const send = (found: Cacheable | null) =>
      found ? sendCacheable(request, response, found) : sendError(response, 404, 'There is no such event.')
    const found = stateOf(id)
    return found instanceof Promise ? found.then(send) : send(found)
  }
}
