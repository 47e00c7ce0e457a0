import { type AddressInfo, createServer, type Server } from 'node:net'
import { cleanUp } from './cleanUp.ts'

export interface TestMailServer {
  readonly url: string
  /** Every line that it received. */
  readonly received: string[]
  /** The whole mails that it took. */
  readonly mails: string[]
  /** The answers to the commands of this name, one after the other; the last one stays. Default: it takes all. */
  answers: { RCPT?: string[]; DATA?: string[]; END?: string[] }
}

/** A mail server. */
export async function mailServer(answers: TestMailServer['answers'] = {}): Promise<TestMailServer> {
  const state: Omit<TestMailServer, 'url'> = { received: [], mails: [], answers }
  const answer = (to: 'RCPT' | 'DATA' | 'END', fallback: string) => {
    const list = state.answers[to] ?? []
    return (list.length > 1 ? list.shift() : list[0]) ?? fallback
  }
  const server: Server = createServer((socket) => {
    let isData = false
    let unread = ''
    let data: string[] = []
    const say = (line: string) => void socket.write(`${line}\r\n`)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const lines = (unread + chunk).split('\r\n')
      unread = lines.pop() as string
      for (const line of lines) {
        state.received.push(line)
        if (isData) {
          if (line !== '.') {
            data.push(line)
            continue
          }
          isData = false
          const end = answer('END', '250 taken')
          if (end.startsWith('250')) state.mails.push(data.join('\r\n'))
          data = []
          say(end)
        } else if (line.startsWith('RCPT')) say(answer('RCPT', '250 well'))
        else if (line === 'DATA') {
          const begin = answer('DATA', '354 go on')
          isData = begin.startsWith('354')
          say(begin)
        } else if (line === 'QUIT') {
          say('221 bye')
          socket.end()
        } else say('250 well')
      }
    })
    say('220 ready')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(() => {
    server.close()
  })
  return Object.assign(state, { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
