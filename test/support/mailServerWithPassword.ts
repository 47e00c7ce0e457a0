import { type AddressInfo, createServer, type Socket } from 'node:net'
import { cleanUp } from './cleanUp.ts'

export interface MailServer {
  readonly port: number
  /** Each mail that it took, with its header. */
  readonly mails: readonly string[]
  /** The credentials that clients presented, in base64. */
  readonly credentials: readonly string[]
  /** Answers that it gives instead of taking a mail, one after the other, to these commands. */
  readonly refusals: { readonly to: 'AUTH' | 'RCPT'; readonly answer: string }[]
}

/** A mail server (RFC 5321) that demands a password. */
export async function mailServer(): Promise<MailServer> {
  const mails: string[] = []
  const credentials: string[] = []
  const refusals: MailServer['refusals'] = []
  const open = new Set<Socket>()

  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    let unread = ''
    let mail: string[] | null = null
    socket.write('220 mail.example.com ready\r\n')
    socket.on('data', (chunk) => {
      const lines = (unread + chunk).split('\r\n')
      unread = lines.pop() as string
      for (const line of lines) {
        if (mail && line !== '.') mail.push(line)
        else socket.write(`${answer(line)}\r\n`)
      }
    })

    function answer(line: string): string {
      const command = line.split(' ')[0]?.toUpperCase()
      if (command === refusals[0]?.to) return refusals.shift()?.answer as string
      if (command === 'EHLO') return '250-mail.example.com\r\n250 AUTH PLAIN'
      if (command === 'AUTH') {
        credentials.push(line.split(' ')[2] ?? '')
        return '235 welcome'
      }
      if (command === 'DATA') {
        mail = []
        return '354 go on'
      }
      if (line !== '.') return '250 well'
      mails.push((mail ?? []).join('\n'))
      mail = null
      return '250 taken'
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, mails, credentials, refusals }
}
