import type { App } from '../app.ts'
import type { Caller } from '../sale/caller.ts'

/** What an operation knows about who asks and how; the same over HTTP and on a socket. */
export interface Context extends Caller {
  readonly app: App
  readonly requestId: string
  /** A token was presented and is not valid: nobody is told that they have no account. */
  readonly hasBadToken: boolean
  /** When the account's token ends, by the database's clock; null without one. */
  readonly tokenEndsAt: Date | null
  /** Over GET: caches and link previews may repeat it, so nothing may change by it. */
  readonly isRepeatable: boolean
  /** The client's address, behind our own proxies. */
  addressOf(): string | null
  /** The admission token for an event: the one presented, or one that this socket was given since. */
  admissionTokenFor(eventId: string): string | null
  /** A socket holds the admissions that it was given; a single request has nothing to keep them in. */
  keepAdmission(eventId: string, token: string): void
  /** The refusal that the operation was answered with, by the name of its type: for the metrics. */
  refusal?: string
}

/** The caller as one event sees it. */
export function callerFor(context: Context, eventId: string): Caller {
  return {
    account: context.account,
    deviceId: context.deviceId,
    admissionToken: context.admissionTokenFor(eventId),
  }
}
