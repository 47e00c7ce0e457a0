/** The codes of the API's errors (`extensions.code`); expected refusals are data and never thrown. */
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
  | 'NOT_IMPLEMENTED'
  | 'INTERNAL'

export interface InputFault {
  path: (string | number)[]
  message: string
}

/** The API's own error: it received the request and answered with a code. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode | (string & {})
  /** When the same request may succeed; null where the server names no time. */
  readonly retryAfterSeconds: number | null
  /** For BAD_USER_INPUT. */
  readonly faults: readonly InputFault[]
  /** What the service's logs know the request by. */
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

/** No answer came: nobody can say from here whether the request was carried out. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** A GraphQL error as it is on the wire, over HTTP and WebSocket alike. */
export interface WireError {
  message: string
  extensions?: Record<string, unknown>
}

/** The first of the errors of an answer, typed. `headers`: of the HTTP answer, where there was one. */
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

/** True where the same request can be sent again as it is: nothing was done, and the reason passes. */
export function passes(error: unknown): boolean {
  return (
    error instanceof ConnectionLost ||
    (error instanceof ApiError && ['REQUEST_IN_PROGRESS', 'RATE_LIMITED', 'OVERLOADED'].includes(error.code))
  )
}
