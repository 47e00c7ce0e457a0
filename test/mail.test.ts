import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { createMailer, MailRefused } from '../src/mail.ts'
import { temporaryFolder } from './support/folder.ts'
import { mailServer } from './support/mailServer.ts'

const from = 'Fairgate <tickets@example.com>'
const mail = {
  to: 'ana@example.com',
  subject: '2 tickets for Mötley, held for you',
  text: 'Until 20:15.\nBye.',
}
const log = pino({ enabled: false })
const mailerTo = (smtpUrl: string) => createMailer({ smtpUrl, folder: null, from, log })

test('a mail goes to the mail server', async () => {
  const { url, received, mails } = await mailServer()
  await mailerTo(url).send({ ...mail, id: 'ord_1.confirmed', language: 'de' })
  expect(received).toContain('MAIL FROM:<tickets@example.com>')
  expect(received).toContain('RCPT TO:<ana@example.com>')
  expect(received).toContain('Until 20:15.')
  const { headers, messageId } = await PostalMime.parse(mails[0] as string)
  expect(messageId).toBe('<ord_1.confirmed@example.com>')
  expect(headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }))
  expect(headers).toContainEqual(expect.objectContaining({ key: 'content-language', value: 'de' }))
})

test.each([
  ['the recipient for now', { RCPT: ['450 later'] }, false],
  ['the recipient for good', { RCPT: ['550 no such mailbox'] }, true],
  ['the mail for now', { END: ['451 later'] }, false],
  ['the mail for good', { END: ['554 not this one'] }, true],
  ['the mail before its text, for good', { DATA: ['554 not this one'] }, true],
])('a server that refuses %s', async (_what, answers, isFinal) => {
  const { url } = await mailServer(answers)
  const error = await mailerTo(url)
    .send(mail)
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(error instanceof MailRefused).toBe(isFinal)
})

test.each(['ana@example.com>\r\nRCPT TO:<eve@example.com', '<ana@example.com', 'ana', ''])(
  'an address that no server can take is refused for good: %j',
  async (to) => {
    const { url, received } = await mailServer()
    await expect(mailerTo(url).send({ ...mail, to })).rejects.toBeInstanceOf(MailRefused)
    expect(received.filter((line) => line.startsWith('RCPT'))).toEqual([])
  },
)

test('no text of a fan or an organizer adds a recipient or a header', async () => {
  const { url, received, mails } = await mailServer()
  await mailerTo(url).send({
    to: 'ana,eve@example.com',
    subject: 'Concert\r\nBcc: eve@example.com\r\n\r\n<script>',
    text: '.\r\nMAIL FROM:<eve@example.com>\r\n.\r\nbye',
  })
  expect(received.filter((line) => line.startsWith('RCPT TO'))).toHaveLength(1)
  const parsed = await PostalMime.parse(mails[0] as string)
  expect(parsed.bcc ?? []).toEqual([])
  expect(parsed.subject).toContain('Concert Bcc: eve@example.com')
  expect(parsed.text).toContain('MAIL FROM:<eve@example.com>')
  expect(mails).toHaveLength(1)
})

test('without a mail server each mail becomes a file', async () => {
  const folder = join(temporaryFolder('mail'), 'made')
  const mailer = createMailer({ smtpUrl: null, folder, from, log })
  await mailer.send(mail)
  await mailer.send(mail)
  const files = readdirSync(folder)
  expect(files).toEqual([expect.stringMatching(/\.eml$/), expect.stringMatching(/\.eml$/)])
  // Only this user may read them: a mail has the fan's address, and a link to the tickets.
  const modes = [folder, ...files.map((file) => join(folder, file))].map(
    (path) => statSync(path).mode & 0o777,
  )
  expect(modes).toEqual([0o700, 0o600, 0o600])
  const text = readFileSync(join(folder, files[0] as string), 'utf8')
  expect(text).toContain('To: ana@example.com\n')
  expect(text).toContain('Subject: =?UTF-8?')
  expect(text).toContain('\n\nUntil 20:15.\nBye.')
})

test('a folder that keeps a number of mails deletes the oldest', async () => {
  const folder = temporaryFolder('mail')
  const mailer = createMailer({ smtpUrl: null, folder, keep: 2, from, log })
  for (const subject of ['first', 'second', 'third']) await mailer.send({ ...mail, subject })
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  expect(texts.map((text) => /^Subject: (.*)$/m.exec(text)?.[1]).sort()).toEqual(['second', 'third'])
})
