import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { createBoundedCache } from '../../../async/boundedCache.ts'
import type { Env } from '../../../env.ts'
import { html } from '../../../sale/letters/html.ts'
import { requireOwnHost } from '../ownHost.ts'
import { NO_STORE, sendError, sendJson } from '../responses.ts'

const NO_SUCH_MAIL = 'There is no such mail.'
/** The name of a file that src/mail.ts writes, without its ending. */
const ID = /^[\w.-]{1,60}$/
const SUMMARIES = 100

interface Summary {
  readonly id: string
  readonly at: string | null
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachments: readonly { readonly filename: string; readonly contentType: string }[]
}

interface At {
  readonly params: Readonly<Record<string, string>>
}

/**
 * `/dev/mail`: the mails that the embedded default has written to its folder, newest first. A browser gets pages; every other
 * client gets JSON. Throws BadRequest for a request by the name of another site.
 */
export function createDevMail(env: Env) {
  const { folder, smtpUrl } = env.mail
  const summaries = createBoundedCache<string, Summary>(SUMMARIES)

  async function ids(): Promise<string[]> {
    if (folder === null || smtpUrl !== null) return []
    const names = await readdir(folder).catch(() => [])
    return names
      .filter((name) => name.endsWith('.eml'))
      .map((name) => name.slice(0, -4))
      .filter((id) => ID.test(id))
      .sort()
      .reverse()
  }

  /** Null where there is no such mail, or it has been deleted since. */
  async function read(id: string): Promise<Email | null> {
    if (folder === null || smtpUrl !== null || !ID.test(id)) return null
    const bytes = await readFile(join(folder, `${id}.eml`)).catch(() => null)
    return bytes && PostalMime.parse(bytes)
  }

  async function summary(id: string): Promise<Summary | null> {
    const known = summaries.get(id)
    if (known) return known
    const mail = await read(id)
    if (!mail) return null
    const made = toSummary(id, mail)
    summaries.set(id, made)
    return made
  }

  async function list(): Promise<Summary[]> {
    const found: Summary[] = []
    for (const id of await ids()) {
      const one = await summary(id)
      if (one) found.push(one)
    }
    return found
  }

  return {
    async sendList(request: IncomingMessage, response: ServerResponse): Promise<void> {
      requireOwnHost(env, request)
      const mails = await list()
      if (!wantsPage(request)) return sendJson(response, 200, { mails }, NO_STORE)
      const note = smtpUrl === null ? 'The newest mails first. Reload for new ones.' : 'Mails go to SMTP_URL.'
      sendPage(
        request,
        response,
        html`<h1>Mails</h1><p>${note}</p><table>
<tr><th>Time</th><th>To</th><th>Subject</th></tr>
${mails.map(
  ({ id, at, to, subject }) =>
    html`<tr><td>${at ?? ''}</td><td>${to}</td><td><a href="/dev/mail/${id}">${subject}</a></td></tr>`,
)}</table>`.text,
      )
    },

    async sendMail(request: IncomingMessage, response: ServerResponse, { params: { id = '' } }: At) {
      requireOwnHost(env, request)
      const mail = await summary(id)
      if (!mail) return sendError(response, 404, NO_SUCH_MAIL)
      if (!wantsPage(request)) return sendJson(response, 200, mail, NO_STORE)
      sendPage(
        request,
        response,
        html`<p><a href="/dev/mail">All mails</a></p><h1>${mail.subject}</h1>
<p>To ${mail.to}, ${mail.at ?? ''}</p>
<ul>${mail.attachments.map(
          ({ filename, contentType }, i) =>
            html`<li><a href="/dev/mail/${id}/attachments/${String(i)}">${filename}</a> (${contentType})</li>`,
        )}</ul>
<iframe src="/dev/mail/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox" title="The mail"></iframe>
<h2>As text</h2><pre>${mail.text}</pre>`.text,
      )
    },

    async sendHtml(request: IncomingMessage, response: ServerResponse, { params: { id = '' } }: At) {
      requireOwnHost(env, request)
      const mail = await read(id)
      if (!mail) return sendError(response, 404, NO_SUCH_MAIL)
      sendText(request, response, mail.html ?? html`<pre>${mail.text ?? ''}</pre>`.text)
    },

    async sendAttachment(request: IncomingMessage, response: ServerResponse, { params }: At) {
      requireOwnHost(env, request)
      const mail = await read(params.id ?? '')
      const attachment = /^\d{1,3}$/.test(params.index ?? '') && mail?.attachments[Number(params.index)]
      if (!attachment) return sendError(response, 404, 'There is no such attachment.')
      const isPdf = attachment.mimeType === 'application/pdf'
      const body = bytesOf(attachment)
      response.writeHead(200, {
        // Only a PDF file opens in the browser: any other type could be a page of this origin.
        'content-type': isPdf ? 'application/pdf' : 'application/octet-stream',
        'content-disposition': `${isPdf ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(attachment.filename ?? 'file')}`,
        'content-length': body.length,
        ...NO_STORE,
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
  }
}

function toSummary(id: string, { date, to = [], subject = '', text = '', attachments }: Email): Summary {
  return {
    id,
    at: date ?? null,
    to: to.map(({ address = '' }) => address).join(', '),
    subject,
    text,
    attachments: attachments.map(({ filename, mimeType }) => ({
      filename: filename ?? 'file',
      contentType: mimeType,
    })),
  }
}

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array<ArrayBuffer>)
}

function wantsPage({ headers: { accept } }: IncomingMessage): boolean {
  return accept?.includes('text/html') === true
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:24px;max-width:960px}td,th{text-align:start;padding:4px 16px 4px 0}
iframe{width:100%;height:640px;border:1px solid #8888}pre{white-space:pre-wrap}`

function sendPage(request: IncomingMessage, response: ServerResponse, body: string): void {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mails</title><style>${STYLE}</style>`
  sendText(request, response, `${head}<main>${body}</main></html>`)
}

function sendText(request: IncomingMessage, response: ServerResponse, page: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...NO_STORE })
  response.end(request.method === 'HEAD' ? undefined : page)
}
