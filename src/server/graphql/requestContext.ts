import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '../../app.ts'
import type { Context } from '../../resolvers/context.ts'
import { hasExpired, type Identity, NOBODY } from '../auth/identity.ts'

/** What a request or a socket says of itself, under the names of connectionParams. */
export interface Credentials {
  readonly authorization: string | undefined
  readonly admissionToken: string | null
  readonly deviceId: string | null
}

const LONGEST_DEVICE = 200
const LONGEST_TOKEN = 2_000

export function credentialsOfHeaders(headers: IncomingHttpHeaders): Credentials {
  return credentialsOf({
    authorization: headers.authorization,
    admissionToken: headers['admission-token'],
    deviceId: headers['device-id'],
  })
}

/** Takes what fits; a device's id or a token that does not is as good as none. */
export function credentialsOf(given: Record<string, unknown> | undefined): Credentials {
  const { authorization, admissionToken, deviceId } = given ?? {}
  if (!authorization && !admissionToken && !deviceId) return NO_CREDENTIALS
  return {
    authorization: typeof authorization === 'string' ? authorization : undefined,
    admissionToken: text(admissionToken, LONGEST_TOKEN),
    deviceId: text(deviceId, LONGEST_DEVICE),
  }
}

export const NO_CREDENTIALS: Credentials = { authorization: undefined, admissionToken: null, deviceId: null }

function text(value: unknown, longest: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= longest ? value : null
}

interface Admissions {
  get(eventId: string): string | undefined
  set(eventId: string, token: string): unknown
}

export interface ContextOptions {
  app: App
  requestId: string
  identity: Identity
  credentials: Credentials
  /** See clientAddress.ts. Asked for only where it is needed. */
  addressOf?: () => string | null
  isRepeatable?: boolean
  /** Those that a socket was given, by event. */
  admissions?: Admissions
}

/** The context of what is the same for everybody, whoever asks. */
export function nobodysContext(app: App, requestId: string): Context {
  return contextOf({ app, requestId, identity: NOBODY, credentials: NO_CREDENTIALS })
}

/** The context of one operation. An account whose token has run out since a socket was opened counts no more. */
export function contextOf({
  app,
  requestId,
  identity,
  credentials,
  addressOf = () => null,
  isRepeatable = false,
  admissions,
}: ContextOptions): Context {
  const isOver = hasExpired(identity, app.clock)
  return {
    app,
    requestId,
    account: isOver ? null : identity.account,
    hasBadToken: isOver || identity.hasBadToken,
    tokenEndsAt: identity.endsAt,
    deviceId: credentials.deviceId,
    admissionToken: credentials.admissionToken,
    addressOf,
    isRepeatable,
    admissionTokenFor: (eventId) => admissions?.get(eventId) ?? credentials.admissionToken,
    keepAdmission: (eventId, token) => admissions?.set(eventId, token),
  }
}
