import { backoff, delay } from './client.ts'
import { isTransient } from './errors.ts'
import type { Operation } from './operation.ts'
import type { Socket } from './socket.ts'

/** How changes arrive. `either`: over the socket, and by polling while there is no socket. */
export type Transport = 'either' | 'socket' | 'polling'

export interface SubscribeOrPollOptions<Data, Variables> {
  socket: Socket
  by?: Transport
  operation: Operation<Data, Variables>
  /** Called at each subscription. */
  variables(): Variables
  next(data: Data): void
  /** Polls once, processes the answer and returns the seconds until the next poll. */
  poll(signal: AbortSignal): Promise<number>
  /** The API refuses, so there are no more changes. */
  failed(error: unknown): void
}

/** Polling starts after this time without a socket. */
const POLL_AFTER_MS = 2_500

/**
 * Delivers a value and its changes until the returned function is called. It survives lost sockets and lost answers: it
 * subscribes again, and polls in the meantime.
 */
export function subscribeOrPoll<Data, Variables>(
  options: SubscribeOrPollOptions<Data, Variables>,
): () => void {
  const { socket, by = 'either', next, poll, failed } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let polling: AbortController | undefined
  let unsubscribe: (() => void) | undefined

  function stop() {
    stopped.abort()
    polling?.abort()
    unsubscribe?.()
  }
  function fail(error: unknown) {
    if (signal.aborted) return
    stop()
    failed(error)
  }

  async function pollRepeatedly(waitFirst: number) {
    polling?.abort()
    polling = new AbortController()
    const mine = polling.signal
    try {
      await delay(waitFirst, mine)
      for (let attempt = 0; ; ) {
        try {
          const seconds = await poll(mine)
          attempt = 0
          await delay(seconds * 1_000, mine)
        } catch (error) {
          if (mine.aborted) return
          if (!isTransient(error)) return fail(error)
          await delay(backoff(attempt++), mine)
        }
      }
    } catch {
      // Stopped, or the socket is back.
    }
  }

  function subscribe(attempt: number) {
    if (signal.aborted) return
    let received = false
    const again = (error?: unknown) => {
      if (signal.aborted) return
      const retryAfter = (error as { retryAfterSeconds?: number | null } | undefined)?.retryAfterSeconds
      delay(backoff(received ? 0 : attempt, retryAfter), signal).then(
        () => subscribe(received ? 1 : attempt + 1),
        () => undefined,
      )
    }
    unsubscribe = socket.subscribe(options.operation, options.variables(), {
      next(data) {
        received = true
        if (!signal.aborted) next(data)
      },
      error: (error) => (isTransient(error) ? again(error) : fail(error)),
      // The API completes a subscription whose object has ended, such as a sold hold. A socket that was closed in good
      // order completes it too, and that is not the end.
      complete: () => (socket.connected ? stop() : again()),
    })
  }

  if (by === 'polling') {
    void pollRepeatedly(0)
    return stop
  }
  subscribe(0)
  if (by === 'socket') return stop

  if (!socket.connected) void pollRepeatedly(POLL_AFTER_MS)
  const unlisten = socket.onChange((connected) => {
    if (connected) polling?.abort()
    else if (!signal.aborted) void pollRepeatedly(POLL_AFTER_MS * (0.5 + Math.random()))
  })
  signal.addEventListener('abort', unlisten)
  return stop
}
