import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../../../async/background.ts'
import type { Priority } from '../../graphql/priority.ts'
import { type Cacheable, sendCacheable, sendError } from '../responses.ts'

/** The longest wait for a refresh, where there is an older answer to send. Stores that work answer sooner. */
const PATIENCE_MS = 250
const MOST_KEPT = 256

interface Kept {
  last?: Cacheable
  madeAt: number
  making?: Promise<Cacheable | null>
}

export interface SharedAnswersDeps {
  priority: Priority
  /** After this time, a request starts a refresh. */
  freshMs: number
  /** After this time, a request also waits for the refresh. */
  oldestMs: number
  /** Makes an event's answer. Null where there is no such event. */
  make(eventId: string): Promise<Cacheable | null>
}

/**
 * Answers about events that are the same for all clients: each is made at most once in `freshMs`, for all of them together.
 * During an outage the last answer is sent.
 */
export function createSharedAnswers({ priority, freshMs, oldestMs, make }: SharedAnswersDeps) {
  // Not async/boundedCache.ts: ids that were made up go first. And not async/singleFlight.ts: the last answer outlives its time.
  const kept = new Map<string, Kept>()

  function makeOnce(id: string, state: Kept): Promise<Cacheable | null> {
    // The first read of an id, which may be made up, waits for its turn in the priorities. A refresh is rare, but a client may
    // cause those of hundreds of events.
    const begin = () => (state.last ? inBackground(() => make(id)) : priority.run('maps', () => make(id), id))
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

  /** Evicts ids that were never read first: requests for made-up ids evict no known answer during an outage. */
  function evictOne() {
    const [[oldest] = []] = kept
    const [[unmade] = []] = [...kept].filter(([, { last }]) => !last)
    kept.delete((unmade ?? oldest) as string)
  }

  /** Returns without a promise where the answer is fresh, which is nearly every time. */
  function answerOf(id: string): Cacheable | Promise<Cacheable | null> {
    const state = kept.get(id) ?? { madeAt: Number.NEGATIVE_INFINITY }
    const age = performance.now() - state.madeAt
    if (state.last && age < freshMs) return state.last
    if (!kept.has(id)) {
      if (kept.size === MOST_KEPT) evictOne()
      kept.set(id, state)
    }
    const made = makeOnce(id, state)
    const { last } = state
    if (!last) return made
    const orLast = made.catch(() => last)
    return age < oldestMs ? last : Promise.race([orLast, sleep(PATIENCE_MS, last)])
  }

  return (request: IncomingMessage, response: ServerResponse, id: string): Promise<void> | void => {
    const send = (found: Cacheable | null) =>
      found ? sendCacheable(request, response, found) : sendError(response, 404, 'There is no such event.')
    const found = answerOf(id)
    return found instanceof Promise ? found.then(send) : send(found)
  }
}
