/** The codes of the API's errors (`extensions.code`). Expected refusals are data and are never thrown. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ADMISSION_REQUIRED'
  | 'QUEUE_TOKEN_INVALID'
  | 'BAD_USER_INPUT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'REQUEST_IN_PROGRESS'
  | 'RATE_LIMITED'
  | 'OVERLOADED'
  | 'NOT_FOUND'
  | 'INTERNAL'

export interface InputFault {
  path: (string | number)[]
  message: string
}

/** An error that the API returned: it received the request and answered with a code. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode | (string & {})
  /** Seconds after which the same request may succeed; null if the server gives no time. */
  readonly retryAfterSeconds: number | null
  /** The wrong input values of a BAD_USER_INPUT. */
  readonly faults: readonly InputFault[]
  /** The request's id in the service's logs. */
  readonly requestId: string | null

  constructor(
    message: string,
    code: string,
    details: { retryAfterSeconds?: number | null; faults?: readonly InputFault[]; requestId?: string | null },
  ) {
    super(message)
    this.code = code
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.faults = details.faults ?? []
    this.requestId = details.requestId ?? null
  }
}

/** No answer came: the client cannot know whether the service carried out the request. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** A GraphQL error as HTTP and WebSocket transport it. */
export interface WireError {
  message: string
  extensions?: Record<string, unknown>
}

/** The first error of an answer as an ApiError. `headers`: those of the HTTP answer, if there was one. */
export function toApiError(errors: readonly WireError[], headers?: Headers): ApiError {
  const [error] = errors
  const { code, retryAfterSeconds, faults, requestId } = error?.extensions ?? {}
  const header = Number.parseFloat(headers?.get('retry-after') ?? '')
  return new ApiError(error?.message ?? 'The service answered with no data.', String(code ?? 'INTERNAL'), {
    retryAfterSeconds:
      typeof retryAfterSeconds === 'number' ? retryAfterSeconds : Number.isFinite(header) ? header : null,
    faults: (faults as InputFault[] | undefined) ?? [],
    requestId: (requestId as string | undefined) ?? headers?.get('x-request-id') ?? null,
  })
}

/** True if the same request can be sent again unchanged: the cause is temporary. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof ConnectionLost ||
    (error instanceof ApiError && ['REQUEST_IN_PROGRESS', 'RATE_LIMITED', 'OVERLOADED'].includes(error.code))
  )
}
