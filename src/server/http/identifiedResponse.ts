import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * A response with the header x-request-id. All routes write their heads through `writeHead`: a header that every response needs
 * belongs there. Not by `setHeader`, after which Node copies each header of the head one by one.
 */
export class IdentifiedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Empty for a response that Node itself makes. */
  requestId = ''

  override writeHead(status: number, reason?: string | Head, headers?: Head): this {
    const [statusText, head] = typeof reason === 'string' ? [reason, headers] : [undefined, reason]
    if (this.requestId === '') return super.writeHead(status, statusText, head)
    // Node writes an alternating list of names and values as it is.
    if (Array.isArray(head))
      return super.writeHead(status, statusText, [...head, 'x-request-id', this.requestId])
    return super.writeHead(status, statusText, { 'x-request-id': this.requestId, ...head })
  }
}
