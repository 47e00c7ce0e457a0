import { delay, pause } from './client.ts'
import { passes } from './errors.ts'
import type { Live } from './live.ts'
import type { Operation } from './operation.ts'

/** How to hear of changes. `either`: over the socket, and by asking for as long as no socket can be had. */
export type FollowBy = 'either' | 'socket' | 'polling'

export interface Followed<Data, Variables> {
  live: Live
  by?: FollowBy
  operation: Operation<Data, Variables>
  /** Read at each subscription. */
  variables(): Variables
  next(data: Data): void
  /** Asks once, takes in the answer and gives the seconds until the next question. */
  ask(signal: AbortSignal): Promise<number>
  /** It cannot go on: the API refuses. */
  failed(error: unknown): void
}

/** A socket that is not there after this long is made up for by asking. */
const PATIENCE_MS = 2_500

/** Follows one value until it is stopped, whatever becomes of sockets and answers in between. */
export function follow<Data, Variables>(followed: Followed<Data, Variables>): () => void {
  const { live, by = 'either', next, ask, failed } = followed
  const stopped = new AbortController()
  const { signal } = stopped
  let asking: AbortController | undefined
  let unsubscribe: (() => void) | undefined

  function stop() {
    stopped.abort()
    asking?.abort()
    unsubscribe?.()
  }
  function fail(error: unknown) {
    if (signal.aborted) return
    stop()
    failed(error)
  }

  async function keepAsking(waitFirst: number) {
    asking?.abort()
    asking = new AbortController()
    const mine = asking.signal
    try {
      await delay(waitFirst, mine)
      for (let attempt = 0; ; ) {
        try {
          const seconds = await ask(mine)
          attempt = 0
          await delay(seconds * 1_000, mine)
        } catch (error) {
          if (mine.aborted) return
          if (!passes(error)) return fail(error)
          await delay(pause(attempt++), mine)
        }
      }
    } catch {
      // Stopped, or the socket is back.
    }
  }

  function subscribe(attempt: number) {
    if (signal.aborted) return
    let heard = false
    const again = (error?: unknown) => {
      if (signal.aborted) return
      const retryAfter = (error as { retryAfterSeconds?: number | null } | undefined)?.retryAfterSeconds
      delay(pause(heard ? 0 : attempt, retryAfter), signal).then(
        () => subscribe(heard ? 1 : attempt + 1),
        () => undefined,
      )
    }
    unsubscribe = live.subscribe(followed.operation, followed.variables(), {
      next(data) {
        heard = true
        if (!signal.aborted) next(data)
      },
      error: (error) => (passes(error) ? again(error) : fail(error)),
      // The API ends what has come to its end: a place that is over, a hold that was sold. A socket that went
      // away in good order says the same, and is no end.
      complete: () => (live.connected ? stop() : again()),
    })
  }

  if (by === 'polling') {
    void keepAsking(0)
    return stop
  }
  subscribe(0)
  if (by === 'socket') return stop

  if (!live.connected) void keepAsking(PATIENCE_MS)
  const unlisten = live.onChange((connected) => {
    if (connected) asking?.abort()
    else if (!signal.aborted) void keepAsking(PATIENCE_MS * (0.5 + Math.random()))
  })
  signal.addEventListener('abort', unlisten)
  return stop
}
