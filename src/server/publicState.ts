import type { IncomingMessage, ServerResponse } from 'node:http'
import { execute, parse } from 'graphql'
import type { App } from '../app.ts'
import { schema } from '../resolvers/schema.ts'
import { nobodysContext } from './callers.ts'
import { type Cacheable, FOR_EVERYBODY, sendCacheable, sendError, toCacheable } from './replies.ts'

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

/** A CDN may serve it for two seconds to everybody who waits, and its last one for ten minutes while we are down. */
const CACHE = 'public, max-age=2, stale-if-error=600'
const KEPT_MS = 1_000

/** `/events/:id/waiting-room.json`: a sale's public state, made once a second whoever asks. */
export function createPublicState(app: App) {
  const kept = new Map<string, Promise<Cacheable | null>>()

  async function make(id: string): Promise<Cacheable | null> {
    const contextValue = nobodysContext(app, 'waiting-room')
    const result = await execute({ schema, document: SALE, variableValues: { id }, contextValue })
    const [error] = result.errors ?? []
    if (error) throw error
    const event = result.data?.event as { sale: unknown } | null
    return event && toCacheable(event.sale)
  }

  function state(id: string): Promise<Cacheable | null> {
    const known = kept.get(id)
    if (known) return known
    const made = make(id)
    kept.set(id, made)
    const forget = () => {
      kept.delete(id)
    }
    made.then((found) => (found ? setTimeout(forget, KEPT_MS).unref() : forget()), forget)
    return made
  }

  return async (request: IncomingMessage, response: ServerResponse, id: string): Promise<void> => {
    const found = await state(id)
    if (found) sendCacheable(request, response, found, { ...FOR_EVERYBODY, 'cache-control': CACHE })
    else sendError(response, 404, 'There is no such event.')
  }
}

const FOR_EVER = 'public, max-age=31536000, immutable'

/** `/events/:id/layouts/:section-:hash.json`: a section's seats, at an address that goes with its content. */
export async function sendLayout(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  eventId: string,
  file: string,
): Promise<void> {
  const [, no, hash] = /^(\d{1,5})-([0-9a-z]{1,64})\.json$/.exec(file) ?? []
  const event = no === undefined ? null : await app.catalogue.event(eventId)
  const section = event?.sections.find((candidate) => candidate.no === Number(no))
  if (!section || section.layoutHash !== hash) return sendError(response, 404, 'There is no such layout.')
  const layout = { body: Buffer.from(JSON.stringify(section.layout)), etag: `"${hash}"` }
  sendCacheable(request, response, layout, { ...FOR_EVERYBODY, 'cache-control': FOR_EVER })
}
