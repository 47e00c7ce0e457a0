import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import { newRequestId } from '../graphql/requestId.ts'

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * A response with the header x-request-id and the security headers. All routes write their heads through `writeHead`: a header
 * that every response needs belongs there. Not by `setHeader`, after which Node copies each header of the head one by one.
 */
export class IdentifiedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Empty for a response that Node itself makes. */
  requestId = ''
  /** The body is one for all clients, so that its bytes count once, wherever they wait. */
  isShared = false
  /** See securityHeaders.ts. */
  security: readonly string[] = []

  override writeHead(status: number, reason?: string | Head, headers?: Head): this {
    const [statusText, head] = typeof reason === 'string' ? [reason, headers] : [undefined, reason]
    // Node writes an alternating list of names and values as it is.
    const list = Array.isArray(head) ? head : listOf(head)
    const id = this.requestId === '' ? [] : ['x-request-id', this.requestId]
    return super.writeHead(status, statusText, [...list, ...id, ...this.security])
  }
}

/** The class of a server's responses. Those that Node itself makes have these security headers. */
export function responsesWith(security: readonly string[]): typeof IdentifiedResponse {
  return class<Request extends IncomingMessage = IncomingMessage> extends IdentifiedResponse<Request> {
    override security = security
  }
}

function listOf(headers: OutgoingHttpHeaders = {}): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = []
  for (const name in headers) if (headers[name] !== undefined) list.push(name, headers[name])
  return list
}

/** The proxy's id for the request, where it sends one: its log and ours then name the same id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newRequestId()
}
