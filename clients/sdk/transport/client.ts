import type { Session } from '../session.ts'
import type { Connectivity } from './connectivity.ts'
import { ApiError, ConnectionLost, isTransient, toApiError, type WireError } from './errors.ts'
import type { Operation } from './operation.ts'

export interface RequestOptions {
  signal?: AbortSignal
  /** Stops retrying after this time and throws the last error. Default 30 s. */
  withinMs?: number
  /** Treats an answer as lost after this time. Default 10 s. */
  answerWithinMs?: number
}

export interface Client {
  /**
   * Sends one operation over HTTP and returns its data. A request that the server did not carry out (busy, overloaded,
   * rate limited) is sent again at the time that the server gives. After a lost answer only a repeatable operation is
   * sent again, unchanged and thus with the same idempotency key.
   *
   * Throws ApiError, or ConnectionLost if no answer came: the caller may call a repeatable operation again with the
   * same variables.
   */
  request<Data, Variables>(
    operation: Operation<Data, Variables>,
    variables: Variables,
    options?: RequestOptions,
  ): Promise<Data>
  /** Returns a public JSON document of the service by its path. Throws like `request`. */
  get(path: string, options?: Pick<RequestOptions, 'signal'>): Promise<unknown>
}

interface ClientOptions {
  /** The address of the service, for example http://localhost:4000. */
  url: string
  session: Session
  connectivity?: Connectivity
  /** Default: the platform's fetch. */
  fetch?: typeof fetch
  /** Called with the duration of each request and the operation's name, for measurements. */
  timed?: (operation: string, milliseconds: number) => void
}

export function createClient({
  url,
  session,
  connectivity,
  fetch = globalThis.fetch,
  timed,
}: ClientOptions): Client {
  const endpoint = addressOf(url, '/graphql')

  function headers(): Record<string, string> {
    const sent: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      'device-id': session.deviceId,
    }
    if (session.accountToken) sent.authorization = `Bearer ${session.accountToken}`
    if (session.admissionToken) sent['admission-token'] = session.admissionToken
    return sent
  }

  async function reach(target: URL, init: RequestInit, options: RequestOptions): Promise<[Response, string]> {
    const { signal, answerWithinMs = 10_000 } = options
    const timeout = AbortSignal.timeout(answerWithinMs)
    try {
      const response = await fetch(target, {
        ...init,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      const body = await response.text()
      connectivity?.answered()
      return [response, body]
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      connectivity?.unanswered()
      throw new ConnectionLost('The service did not answer.', { cause: error })
    }
  }

  async function send<Data, Variables>(
    { text, name }: Operation<Data, Variables>,
    variables: Variables,
    options: RequestOptions,
  ): Promise<Data> {
    const body = JSON.stringify({ query: text, operationName: name, variables })
    const sent = performance.now()
    const [response, answer] = await reach(endpoint, { method: 'POST', headers: headers(), body }, options)
    timed?.(name, performance.now() - sent)
    const result = parse(answer)
    if (result?.data && !result.errors?.length) return result.data as Data
    if (result?.errors?.length) throw toApiError(result.errors, response.headers)
    // A proxy sent this status. The service may or may not have received the request.
    if (response.status >= 500 || response.ok) {
      throw new ConnectionLost(`The service is not available (HTTP ${response.status}).`)
    }
    throw toApiError(
      [{ message: `HTTP ${response.status}`, extensions: { code: codeOf(response.status) } }],
      response.headers,
    )
  }

  return {
    async request(operation, variables, options = {}) {
      const { signal, withinMs = 30_000 } = options
      const end = performance.now() + withinMs
      for (let attempt = 0; ; attempt++) {
        try {
          return await send(operation, variables, options)
        } catch (error) {
          const lost = error instanceof ConnectionLost
          if (!isTransient(error) || (lost && !operation.repeatable)) throw error
          const wait = backoff(attempt, error instanceof ApiError ? error.retryAfterSeconds : null)
          if (performance.now() + wait > end) throw error
          await delay(wait, signal)
        }
      }
    },
    async get(path, options = {}) {
      const [response, body] = await reach(addressOf(url, path), {}, options)
      if (response.ok) return JSON.parse(body)
      if (response.status >= 500)
        throw new ConnectionLost(`The service is not available (HTTP ${response.status}).`)
      throw toApiError(
        [{ message: `HTTP ${response.status} for ${path}`, extensions: { code: codeOf(response.status) } }],
        response.headers,
      )
    },
  }
}

/** The address of a path of the service, or of a whole address. `url` may itself have a path. */
export function addressOf(url: string, path: string): URL {
  return URL.canParse(path) ? new URL(path) : new URL(url.replace(/\/+$/, '') + path)
}

function parse(answer: string): { data?: unknown; errors?: WireError[] } | undefined {
  try {
    return JSON.parse(answer)
  } catch {
    return undefined
  }
}

function codeOf(status: number): string {
  return status === 429 ? 'RATE_LIMITED' : status === 401 ? 'UNAUTHENTICATED' : 'BAD_USER_INPUT'
}

/**
 * Milliseconds to wait before the next attempt. The server's own retry time wins; the server adds the jitter to it.
 * Otherwise exponential backoff from 250 ms to 8 s. Jitter takes up to half of it, so that clients that failed
 * together do not retry together.
 */
export function backoff(attempt: number, retryAfterSeconds: number | null = null): number {
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1_000
  return Math.min(8_000, 250 * 2 ** attempt) * (0.5 + Math.random() / 2)
}

export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const done = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    function stop() {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
