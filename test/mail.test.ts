import { readdirSync, readFileSync } from 'node:fs'
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

/** A mail server that takes one mail, or says `no` to its recipient. */
async function mailServer(answerToRecipient: string) {
  const heard: string[] = []
  let isData = false
  const server = createServer((socket) => {
    socket.write('220 ready\r\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        heard.push(line)
        if (isData && line !== '.') continue
        if (line === '.') isData = false
        if (line.startsWith('DATA')) isData = true
        if (line.startsWith('RCPT')) socket.write(`${answerToRecipient}\r\n`)
        else socket.write(isData ? '354 go on\r\n' : '250 well\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, server }
}

test('a mail is handed to the mail server', async () => {
  const { url, heard, server } = await mailServer('250 well')
  await createMailer({ smtpUrl: url, folder: null, from, log: pino({ enabled: false }) }).send(mail)
  expect(heard).toContain('MAIL FROM:<tickets@example.com>')
  expect(heard).toContain('RCPT TO:<ana@example.com>')
  expect(heard).toContain('Until 20:15.')
  server.close()
})

test('a mail that the server does not take is an error', async () => {
  const { url, server } = await mailServer('450 later')
  const mailer = createMailer({ smtpUrl: url, folder: null, from, log: pino({ enabled: false }) })
  await expect(mailer.send(mail)).rejects.toThrow('450')
  server.close()
})

test('without a server each mail is a file', async () => {
  const folder = join(temporaryFolder('mail'), 'made')
  const mailer = createMailer({ smtpUrl: null, folder, from, log: pino({ enabled: false }) })
  await mailer.send(mail)
  await mailer.send(mail)
  const files = readdirSync(folder)
  expect(files).toEqual([expect.stringMatching(/\.eml$/), expect.stringMatching(/\.eml$/)])
  const text = readFileSync(join(folder, files[0] as string), 'utf8')
  expect(text).toContain('To: ana@example.com\n')
  expect(text).toContain('Subject: =?UTF-8?')
  expect(text).toContain('\n\nUntil 20:15.\nBye.')
})
