import { withoutStack } from '../withoutStack.ts'

/**
 * An error that the client sees with its code: a mistake of the caller, or a passing problem of the service.
 * Expected refusals are not faults, see refusals.ts. Every other error is masked as INTERNAL.
 */
export type FaultCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ADMISSION_REQUIRED'
  | 'QUEUE_TOKEN_INVALID'
  | 'BAD_USER_INPUT'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'REQUEST_IN_PROGRESS'
  | 'RATE_LIMITED'
  | 'OVERLOADED'

export class Fault extends Error {
  readonly code: FaultCode
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(code: FaultCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message)
    this.name = 'Fault'
    this.code = code
    this.extensions = extensions
  }
}

/** A fault in one value. `path` leads to the value from the operation's argument, as GraphQL paths do. */
export interface InputFault {
  path: (string | number)[]
  message: string
}

/** Returns BAD_USER_INPUT with every fault at its path. */
export function badInput(...faults: InputFault[]): Fault {
  const message = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ')
  return new Fault('BAD_USER_INPUT', message.length > 2_000 ? `${message.slice(0, 2_000)}…` : message, {
    faults,
  })
}

/** The clients of Apollo and urql look for this very message, and for the next one. They then send the text of the query. */
export const persistedQueryNotSupported = () =>
  new Fault('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')

export const persistedQueryNotFound = () => new Fault('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')

export const untrustedDocument = () =>
  new Fault(
    'PERSISTED_QUERY_NOT_FOUND',
    'This server runs only the documents of its manifests. Generate a manifest from your operations, and give it to the operator.',
  )

export const unauthenticated = () =>
  new Fault(
    'UNAUTHENTICATED',
    'This needs an account: send a valid token as "Authorization: Bearer <token>".',
  )

export const emailNotVerified = () =>
  new Fault('FORBIDDEN', 'Verify the e-mail address of this account first.')

export const forbidden = (role: string) => new Fault('FORBIDDEN', `This needs the role ${role}.`)

export const admissionRequired = () =>
  new Fault(
    'ADMISSION_REQUIRED',
    'This sale has a waiting room: send a valid "Admission-Token" of this account and device.',
  )

/** One message for every kind of bad token, so that it does not help to forge one. */
export const queueTokenInvalid = () =>
  new Fault(
    'QUEUE_TOKEN_INVALID',
    'The queue token is not valid here. Join the waiting room again to get a new one.',
  )

export const idempotencyKeyReused = () =>
  new Fault('IDEMPOTENCY_KEY_REUSED', 'This idempotencyKey was used with other input. Send a new key.')

export const requestInProgress = () =>
  new Fault(
    'REQUEST_IN_PROGRESS',
    'Another request of this account is still running. Try again in a moment.',
    {
      retryAfterSeconds: 1,
    },
  )

export const overloaded = (retryAfterSeconds: number) =>
  withoutStack(
    () => new Fault('OVERLOADED', 'Too busy right now. Try again in a moment.', { retryAfterSeconds }),
  )

/** One message for every limit, so that a script does not learn which limit it has to stay under. */
export const tooManyJoins = (retryAfterSeconds: number) =>
  new Fault('RATE_LIMITED', 'Too many joins from here. Try again in a moment.', { retryAfterSeconds })
