import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../app.ts'
import type { Priority } from '../graphql/priority.ts'
import { NO_STORE, sendError } from './responses.ts'

const BAD_LINK = 'The link has expired or is not complete: read "Order.pdfUrl" again.'

export interface DocumentsHttpDeps {
  app: Pick<App, 'documents'>
  priority: Priority
}

/** `/orders/:id/tickets.pdf`: the tickets of an order, for each client that has the link. A link that has expired gets 403. */
export function createDocumentsHttp({ app: { documents }, priority }: DocumentsHttpDeps) {
  return {
    sendPdf(request: IncomingMessage, response: ServerResponse, orderId: string): Promise<void> {
      const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
      return priority.run('browsing', async () => {
        const pdf = await documents.openPdf(orderId, searchParams)
        if (pdf === 'bad link') return sendError(response, 403, BAD_LINK)
        if (pdf === null) return sendError(response, 404, 'The order has no valid tickets.')
        response.writeHead(200, {
          'content-type': 'application/pdf',
          'content-disposition': `inline; filename="${orderId}.pdf"`,
          'content-length': pdf.length,
          // A link that leaks is worthless after its end, so no cache may keep its file.
          ...NO_STORE,
        })
        response.end(request.method === 'HEAD' ? undefined : pdf)
      })
    },
  }
}
