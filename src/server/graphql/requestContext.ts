import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '../../app.ts'
import type { Context } from '../../resolvers/request/context.ts'
import { ANONYMOUS, hasExpired, type Identity } from '../auth/identity.ts'

/** The credentials that a request or a socket presents, by their names in connectionParams. */
export interface Credentials {
  readonly authorization: string | undefined
  readonly admissionToken: string | null
  readonly deviceId: string | null
  readonly acceptLanguage: string | null
}

/** A device id is random text that the client makes: the SDK's has 22 characters of base64url. */
const DEVICE = /^[\x20-\x7e]{1,200}$/
const LONGEST_TOKEN = 2_000
const LONGEST_LANGUAGES = 200

export function credentialsOfHeaders(headers: IncomingHttpHeaders): Credentials {
  return credentialsOf({
    authorization: headers.authorization,
    admissionToken: headers['admission-token'],
    deviceId: headers['device-id'],
    acceptLanguage: headers['accept-language'],
  })
}

/** Returns the credentials. A token that is empty, too long or no string counts as absent, and so
 * does a device id that is not 1 to 200 printable characters of ASCII. */
export function credentialsOf(given: Record<string, unknown> | undefined): Credentials {
  const { authorization, admissionToken, deviceId, acceptLanguage } = given ?? {}
  if (!authorization && !admissionToken && !deviceId) return NO_CREDENTIALS
  return {
    authorization: typeof authorization === 'string' ? authorization : undefined,
    admissionToken: text(admissionToken, LONGEST_TOKEN),
    deviceId: typeof deviceId === 'string' && DEVICE.test(deviceId) ? deviceId : null,
    acceptLanguage: text(acceptLanguage, LONGEST_LANGUAGES),
  }
}

export const NO_CREDENTIALS: Credentials = {
  authorization: undefined,
  admissionToken: null,
  deviceId: null,
  acceptLanguage: null,
}

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
  /** See clientAddress.ts. Called only where an operation needs the address. */
  addressOf?: () => string | null
  isRepeatable?: boolean
  /** The admission tokens that a socket received, by event. */
  admissions?: Admissions
}

/** The context of data that is the same for every caller. */
export function anonymousContext(app: App, requestId: string): Context {
  return contextOf({ app, requestId, identity: ANONYMOUS, credentials: NO_CREDENTIALS })
}

/** The context of one operation. A token that expired after its socket opened gives no account. */
export function contextOf({
  app,
  requestId,
  identity,
  credentials,
  addressOf = () => null,
  isRepeatable = false,
  admissions,
}: ContextOptions): Context {
  const hasEnded = hasExpired(identity, app.clock)
  return {
    app,
    requestId,
    account: hasEnded ? null : identity.account,
    hasBadToken: hasEnded || identity.hasBadToken,
    tokenEndsAt: identity.endsAt,
    deviceId: credentials.deviceId,
    acceptLanguage: credentials.acceptLanguage,
    admissionToken: credentials.admissionToken,
    addressOf,
    isRepeatable,
    admissionTokenFor: (eventId) => admissions?.get(eventId) ?? credentials.admissionToken,
    keepAdmission: (eventId, token) => admissions?.set(eventId, token),
  }
}
