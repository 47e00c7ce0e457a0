import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app.ts'
import type { OpenedLink } from '../../../sale/documents/documents.ts'
import { eventNamedBy } from '../../../sale/ids.ts'
import type { Priority } from '../../graphql/priority.ts'
import { NO_STORE, sendError } from '../responses.ts'

export interface DocumentsHttpDeps {
  app: Pick<App, 'documents'>
  priority: Priority
}

interface DocumentAnswer {
  readonly document: Buffer | 'bad link' | null
  readonly contentType: string
  readonly fileName: string
  /** The field of the API that has the link. */
  readonly field: string
}

/**
 * `/orders/:id/tickets.pdf` and `/tickets/:id/pass.pkpass`: the tickets of an order and the pass of a ticket, for each client that has
 * the link. A link that has expired gets 403.
 */
export function createDocumentsHttp({ app: { documents }, priority }: DocumentsHttpDeps) {
  /** The file is made without a slot: the thread that makes it is slow on a busy machine, and has a limit of its own. */
  async function open(id: string, find: () => Promise<OpenedLink>): Promise<DocumentAnswer['document']> {
    const found = await priority.run('browsing', find, eventNamedBy(id))
    return typeof found === 'function' ? found() : found
  }

  return {
    sendPdf: async (request: IncomingMessage, response: ServerResponse, orderId: string): Promise<void> =>
      send(request, response, {
        document: await open(orderId, () => documents.openPdf(orderId, queryOf(request))),
        contentType: 'application/pdf',
        fileName: `${orderId}.pdf`,
        field: 'Order.pdfUrl',
      }),

    sendPass: async (request: IncomingMessage, response: ServerResponse, ticketId: string): Promise<void> =>
      send(request, response, {
        document: await open(ticketId, () => documents.openPass(ticketId, queryOf(request))),
        contentType: 'application/vnd.apple.pkpass',
        fileName: `${ticketId}.pkpass`,
        field: 'Ticket.walletUrl',
      }),
  }
}

function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  return new URL(url, 'http://localhost').searchParams
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { document, contentType, fileName, field }: DocumentAnswer,
): void {
  if (document === 'bad link') {
    sendError(response, 403, `The link has expired or is not complete: read "${field}" again.`)
    return
  }
  if (document === null) {
    sendError(response, 404, 'There is no valid ticket at this address.')
    return
  }
  response.writeHead(200, {
    'content-type': contentType,
    'content-disposition': `inline; filename="${fileName}"`,
    'content-length': document.length,
    // A link that leaks is worthless after its end, so no cache may keep its file.
    ...NO_STORE,
  })
  response.end(method === 'HEAD' ? undefined : document)
}
