import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test } from 'vitest'
import { createMailer } from '../src/mail.ts'
import { temporaryFolder } from './support/folder.ts'

const from = 'Fairgate <tickets@example.com>'
const mail = {
  to: 'ana@example.com',
  subject: '2 tickets for Mötley, held for you',
  text: 'Until 20:15.\nBye.',
}

/** A mail server that takes one mail, or refuses its recipient. */
async function mailServer(answerToRecipient: string) {
  const received: string[] = []
  let isData = false
  const server = createServer((socket) => {
    socket.write('220 ready\r\n')
    let unread = ''
    socket.on('data', (chunk) => {
      const lines = (unread + chunk).split('\r\n')
      unread = lines.pop() as string
      for (const line of lines) {
        received.push(line)
        if (isData && line !== '.') continue
        if (line === '.') isData = false
        if (line.startsWith('DATA')) isData = true
        if (line.startsWith('RCPT')) socket.write(`${answerToRecipient}\r\n`)
        else socket.write(isData ? '354 go on\r\n' : '250 well\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received, server }
}

test('a mail goes to the mail server', async () => {
  const { url, received, server } = await mailServer('250 well')
  await createMailer({ smtpUrl: url, folder: null, from, log: pino({ enabled: false }) }).send(mail)
  expect(received).toContain('MAIL FROM:<tickets@example.com>')
  expect(received).toContain('RCPT TO:<ana@example.com>')
  expect(received).toContain('Until 20:15.')
  server.close()
})

test('a mail that the server refuses is an error', async () => {
  const { url, server } = await mailServer('450 later')
  const mailer = createMailer({ smtpUrl: url, folder: null, from, log: pino({ enabled: false }) })
  await expect(mailer.send(mail)).rejects.toThrow('450')
  server.close()
})

test('without a mail server each mail becomes a file', async () => {
  const folder = join(temporaryFolder('mail'), 'made')
  const mailer = createMailer({ smtpUrl: null, folder, from, log: pino({ enabled: false }) })
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
