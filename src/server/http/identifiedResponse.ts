import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * An answer, which tells its request's id. Added where the head is written: after a `setHeader` Node takes every header of the
 * head by itself.
 */
export class Reply<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Empty where Node answers by itself. */
  requestId = ''

  override writeHead(status: number, reason?: string | Head, headers?: Head): this {
    const [words, head] = typeof reason === 'string' ? [reason, headers] : [undefined, reason]
    if (this.requestId === '') return super.writeHead(status, words, head)
    // Names and values by turns, which Node takes as they are.
    if (Array.isArray(head)) return super.writeHead(status, words, [...head, 'x-request-id', this.requestId])
    return super.writeHead(status, words, { 'x-request-id': this.requestId, ...head })
  }
}
