import type { App } from '../../app.ts'
import type { Caller } from '../../sale/caller.ts'

/** The caller of an operation, and the request's properties; the same over HTTP and on a socket. */
export interface Context extends Caller {
  readonly app: App
  readonly requestId: string
  /** The request has a token that is not valid: `viewer` then refuses, and does not return null. */
  readonly hasBadToken: boolean
  /** When the account's token expires, by the database's clock; null without a token. */
  readonly tokenEndsAt: Date | null
  /** True over GET: caches and link previews may repeat the request, so it may change nothing. */
  readonly isRepeatable: boolean
  /** The header Accept-Language, or the same among a socket's connectionParams. */
  readonly acceptLanguage: string | null
  /** Returns the client's address, behind our own proxies. */
  addressOf(): string | null
  /** Returns the admission token for an event: the request's, or one that this socket has received since. */
  admissionTokenFor(eventId: string): string | null
  /** Keeps an admission for later operations on the same socket. A single request keeps nothing. */
  keepAdmission(eventId: string, token: string): void
  /** The type name of the refusal that the operation returned, for the metrics. */
  refusal?: string
}

/** Returns the caller with the admission token for one event. */
export function callerFor(context: Context, eventId: string): Caller {
  return {
    account: context.account,
    deviceId: context.deviceId,
    admissionToken: context.admissionTokenFor(eventId),
  }
}
