import { GraphQLError } from 'graphql'
import { isRedisOutage } from '../../redis/outage.ts'
import { Fault, type FaultCode, overloaded } from '../../sale/faults.ts'
import { QueueUnavailable } from '../../sale/ops/deadLetterQueues.ts'
import { isDatabaseOutage, isUnstorableText } from '../../sql/database/outage.ts'
import { withoutStack } from '../../withoutStack.ts'

const STATUS: Readonly<Record<FaultCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ADMISSION_REQUIRED: 403,
  QUEUE_TOKEN_INVALID: 403,
  BAD_USER_INPUT: 400,
  // As Apollo's server answers: clients send the text next, so nothing failed.
  PERSISTED_QUERY_NOT_SUPPORTED: 200,
  PERSISTED_QUERY_NOT_FOUND: 200,
  IDEMPOTENCY_KEY_REUSED: 422,
  REQUEST_IN_PROGRESS: 409,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
}

/** Yoga's code for a request that is not GraphQL: the body is no JSON, or the query is no string. */
export const MALFORMED_REQUEST = 'BAD_REQUEST'

const LONGEST_MESSAGE = 2_000
/** Clients that are refused at one moment do not all retry at one moment. */
const JITTER = 0.5

/** Yoga's hint beside an error: a status and headers for the HTTP response. */
export interface HttpHint {
  status?: number
  headers?: Record<string, string>
  spec?: boolean
}

export interface ClientError {
  /** The error that the client receives. */
  readonly error: GraphQLError
  /** The original error, for the log: set where the client receives INTERNAL instead. */
  readonly masked?: unknown
}

/**
 * Returns the error with one of the contract's codes. A Fault keeps its message. A faulty document or variable becomes
 * BAD_USER_INPUT. An outage of the database or of Redis becomes OVERLOADED. Every other error is masked as INTERNAL,
 * with the request's id, which the log has too.
 */
export function toClientError(error: unknown, requestId: string): ClientError {
  const located = error instanceof GraphQLError ? error : undefined
  const cause = originOf(error)
  const fault = toFault(cause, located)
  if (!fault) {
    const extensions = { code: 'INTERNAL', requestId, http: { status: 500, spec: true } }
    const message = 'Something went wrong on our side. The request id helps us find it.'
    return { error: newError(message, located, extensions), masked: cause }
  }
  const { code, message } = fault
  const own = jittered(fault)
  const hint = located?.extensions.http as HttpHint | undefined
  const retryAfter = own.retryAfterSeconds
  const http: HttpHint = {
    status: hint?.status ?? STATUS[code],
    headers: {
      ...hint?.headers,
      ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
    },
    // A malformed request keeps its status for every accepted media type.
    spec: located?.extensions.code !== MALFORMED_REQUEST,
  }
  return { error: newError(message, located, { code, ...own, http }) }
}

/** The error that was thrown, without the wrappers that add its location. */
function originOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? originOf(error.originalError) : error
}

function toFault(cause: unknown, located: GraphQLError | undefined): Fault | null {
  if (cause instanceof Fault) return cause
  if (cause instanceof GraphQLError) {
    // Below a path, an error without nodes is a value of ours that does not fit its type.
    if (located?.path && !cause.nodes) return null
    return documentFault(located ?? cause)
  }
  if (isDatabaseOutage(cause) || isRedisOutage(cause) || cause instanceof QueueUnavailable)
    return overloaded(2)
  if (isUnstorableText(cause)) return inputFault([], 'a string holds a NUL character, which cannot be stored')
  return null
}

function documentFault({ message }: GraphQLError): Fault {
  // graphql-js reports a faulty variable as `Variable "$input" got invalid value … at "input.sale.opensAt"; reason`. The
  // value in between may be long.
  const value = /^Variable "\$(\w+)" got invalid value .*?(?: at "(\w[^"]*)")?; (.*)$/s.exec(message)
  if (!value) return inputFault([], message)
  const [, variable = '', at, reason = message] = value
  return inputFault(at === undefined ? [variable] : toPath(at), reason)
}

function inputFault(path: (string | number)[], message: string): Fault {
  const short = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message
  return new Fault('BAD_USER_INPUT', short, { faults: [{ path, message: short }] })
}

/** `input.prices[0].price` → input, prices, 0, price */
function toPath(at: string): (string | number)[] {
  return Array.from(at.matchAll(/([^.[\]]+)|\[(\d+)\]/g), ([, name, index]) => name ?? Number(index))
}

function jittered({ code, extensions }: Fault): Record<string, unknown> {
  const { retryAfterSeconds } = extensions
  if (typeof retryAfterSeconds !== 'number' || (code !== 'OVERLOADED' && code !== 'RATE_LIMITED'))
    return { ...extensions }
  return { ...extensions, retryAfterSeconds: Math.ceil(retryAfterSeconds * (1 + JITTER * Math.random())) }
}

function newError(message: string, located: GraphQLError | undefined, extensions: Record<string, unknown>) {
  const { nodes, source, positions, path } = located ?? {}
  return withoutStack(() => new GraphQLError(message, { nodes, source, positions, path, extensions }))
}
