import pino from 'pino'
import { expect, test } from 'vitest'
import { createMailer } from '../../../../src/mail.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { testServer } from '../../../support/server.ts'

const folder = temporaryFolder('mail')
const { url } = await testServer({ MAIL_FOLDER: folder })
const mailer = createMailer({ smtpUrl: null, folder, from: 'a@example.com', log: pino({ enabled: false }) })
const HOSTILE = '<script>alert(1)</script>'
for (const subject of ['first', HOSTILE])
  await mailer.send({
    to: 'ana@example.com',
    subject,
    text: `${HOSTILE} text`,
    html: `<p>${HOSTILE}</p>`,
    attachments: [
      { filename: 'tickets.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') },
      { filename: 'page.html', contentType: 'text/html', content: Buffer.from(HOSTILE) },
    ],
  })

const get = (path: string, accept = '*/*') => fetch(url + path, { headers: { accept } })

test('the embedded default shows the mails that it sent, newest first, as pages and as JSON', async () => {
  const { mails } = await (await get('/dev/mail')).json()
  expect(mails).toMatchObject([{ subject: HOSTILE, to: 'ana@example.com' }, { subject: 'first' }])
  expect(mails[0].attachments).toEqual([
    { filename: 'tickets.pdf', contentType: 'application/pdf' },
    { filename: 'page.html', contentType: 'text/html' },
  ])
  const page = await (await get('/dev/mail', 'text/html')).text()
  expect(page.indexOf(mails[0].id)).toBeLessThan(page.indexOf(mails[1].id))
  const one = await (await get(`/dev/mail/${mails[0].id}`, 'text/html')).text()
  for (const text of [page, one]) {
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).not.toContain(HOSTILE)
  }
  expect(one).toContain('<iframe src="/dev/mail/')
})

test("a mail's HTML has no origin and no scripts, and its attachments are no pages", async () => {
  const { mails } = await (await get('/dev/mail')).json()
  const mail = await get(`/dev/mail/${mails[0].id}/html`)
  expect(mail.headers.get('content-security-policy')).toMatch(/^sandbox [^;]*;.*default-src 'none'/)
  expect(mail.headers.get('content-security-policy')).not.toContain('allow-scripts')
  expect(await mail.text()).toContain(HOSTILE)
  const pdf = await get(`/dev/mail/${mails[0].id}/attachments/0`)
  expect([pdf.headers.get('content-type'), await pdf.text()]).toEqual(['application/pdf', '%PDF'])
  const page = await get(`/dev/mail/${mails[0].id}/attachments/1`)
  expect(page.headers.get('content-type')).toBe('application/octet-stream')
  expect(page.headers.get('content-disposition')).toMatch(/^attachment/)
})

test.each(['..%2F..%2Fetc%2Fpasswd', '%00', 'none', '.'.repeat(70)])(
  'an address that is no mail is not found: %s',
  async (id) => {
    expect((await get(`/dev/mail/${id}`)).status).toBe(404)
    expect((await get(`/dev/mail/${id}/html`)).status).toBe(404)
    expect((await get(`/dev/mail/${id}/attachments/0`)).status).toBe(404)
  },
)
