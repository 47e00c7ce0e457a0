import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app.ts'
import { yieldToEventLoop } from '../../../async/eventLoop.ts'
import { createSingleFlights } from '../../../async/singleFlight.ts'
import { overloaded } from '../../../sale/faults.ts'
import type { LayoutSeat } from '../../../sql/plans.ts'
import type { Priority } from '../../graphql/priority.ts'
import {
  type Cacheable,
  hasAlready,
  PUBLIC_HEADERS,
  sendCacheable,
  sendError,
  sendNotModified,
  toCacheable,
} from '../responses.ts'

/**
 * The most bytes of layouts in a process: those that it keeps and those that clients still read. A section of 20,000 seats
 * has some 3 MB, so a hall of 50,000 seats fits many times.
 */
const LAYOUTS_BYTES = 128 * 1_024 * 1_024
/** Seats that are serialized before other work runs: under a millisecond. */
const SLICE = 500

/** Layouts that wait to be serialized, which they do in no slot: those of a hall of a hundred sections, twice. */
const MOST_WAITING = 200

const HEADERS = { ...PUBLIC_HEADERS, 'cache-control': 'public, max-age=31536000, immutable' }

interface Kept {
  readonly layout: Cacheable
  readonly bytes: number
  /** The responses that are not read to their end. */
  readonly readers: Set<ServerResponse>
}

export interface LayoutsDeps {
  app: Pick<App, 'catalogue'>
  priority: Priority
  mostBytes?: number
}

/**
 * `/events/:id/layouts/:section-:hash.json`: a section's seats. The address changes with the content, so a client that has
 * the hash has the layout. A layout is serialized once, one layout at a time, and kept.
 */
export function createLayouts({ app: { catalogue }, priority, mostBytes = LAYOUTS_BYTES }: LayoutsDeps) {
  /** The least recently used first. */
  const kept = new Map<string, Kept>()
  const making = createSingleFlights<Kept>()
  let bytes = 0
  let serialized = 0
  let waiting = 0
  let lastMade: Promise<unknown> = Promise.resolve()

  function keep(address: string, layout: Cacheable): Kept {
    const made = {
      layout,
      bytes: layout.body.length + layout.gzipped.body.length,
      readers: new Set<ServerResponse>(),
    }
    while (bytes + made.bytes > mostBytes && kept.size > 0) evictOne()
    kept.set(address, made)
    bytes += made.bytes
    return made
  }

  /**
   * Evicts a layout that no client reads, else the least recently used. Its responses end with it: a client that reads
   * nothing would keep its bytes for ever. A client that was only slow requests the layout again.
   */
  function evictOne() {
    let address = ''
    for (const [candidate, { readers }] of kept) {
      address ||= candidate
      if (readers.size > 0) continue
      address = candidate
      break
    }
    const { bytes: freed, readers } = kept.get(address) as Kept
    kept.delete(address)
    bytes -= freed
    for (const response of readers) response.destroy()
  }

  function make(address: string, etag: string, seats: readonly LayoutSeat[]): Promise<Kept> {
    return making.run(address, () => {
      if (waiting >= MOST_WAITING) return Promise.reject(overloaded(1 + 2 * Math.random()))
      waiting++
      const made = lastMade.then(async () => {
        waiting--
        serialized++
        return keep(address, await toCacheable(await serialize(seats), etag, HEADERS))
      })
      lastMade = made.catch(() => {})
      return made
    })
  }

  function send(request: IncomingMessage, response: ServerResponse, address: string, found: Kept) {
    if (kept.delete(address)) kept.set(address, found)
    found.readers.add(response)
    response.once('close', () => found.readers.delete(response))
    sendCacheable(request, response, found.layout)
  }

  return {
    send(
      request: IncomingMessage,
      response: ServerResponse,
      eventId: string,
      file: string,
    ): Promise<void> | void {
      const [, no, hash] = /^(\d{1,5})-([0-9a-z]{1,64})\.json$/.exec(file) ?? []
      if (no === undefined) return sendError(response, 404, NOT_FOUND)
      const etag = `"${hash}"`
      const address = `${eventId}/${file}`
      if (hasAlready(request, etag)) return sendNotModified(response, etag, HEADERS)
      const known = kept.get(address)
      if (known) return send(request, response, address, known)
      return (async () => {
        const event = await priority.run(
          'maps',
          () => (response.destroyed ? null : catalogue.event(eventId)),
          eventId,
        )
        if (response.destroyed) return
        const section = event?.sections.find((candidate) => candidate.no === Number(no))
        if (!section || section.layoutHash !== hash) return sendError(response, 404, NOT_FOUND)
        const head = { 'content-type': 'application/json; charset=utf-8', ...HEADERS, etag }
        if (request.method === 'HEAD') return void response.writeHead(200, head).end()
        const now = kept.get(address) ?? (await make(address, etag, section.layout))
        if (!response.destroyed) send(request, response, address, now)
      })()
    },
    /** What the process keeps, and how many layouts it serialized. */
    figures: () => ({ bytes, layouts: kept.size, serialized }),
  }
}

const NOT_FOUND = 'There is no such layout.'

/** Yields to the event loop now and then: JSON.stringify of 20,000 seats in one piece would delay every other request. */
async function serialize(seats: readonly LayoutSeat[]): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let from = 0; from < seats.length; from += SLICE) {
    const json = JSON.stringify(seats.slice(from, from + SLICE))
    pieces.push(Buffer.from(`${from === 0 ? '' : ','}${json.slice(1, -1)}`))
    await yieldToEventLoop()
  }
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')])
}
