// The package of the certificates needs it before its own import.
import 'reflect-metadata'

import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'
import { cleanUp } from './cleanUp.ts'

/** A message as the push service received it. It cannot read the text; the browser can. */
export interface ReceivedPush {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** How the service treats a request: a status, with headers; no answer at all; or the end of the connection. */
export type Answer = { status: number; headers?: Record<string, string> } | 'silence' | 'lost reply'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOST = 'push.example.com'

/** A push service as browsers have them, at https://push.example.com for `agent` alone. It misbehaves as a test demands. */
export async function pushService() {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${HOST}`,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: HOST }])],
  })
  const cert = certificate.toString('pem')
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  const state = {
    received: [] as ReceivedPush[],
    /** The answers, one after the other; then it takes every message. */
    answers: [] as Answer[],
  }

  function treat(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    state.received.push({ path: request.url ?? '', headers: request.headers, body })
    const answer = state.answers.shift() ?? { status: 201 }
    if (answer === 'silence') return
    if (answer === 'lost reply') return void request.socket.destroy()
    response.writeHead(answer.status, answer.headers).end('an answer that is not read')
  }
  const server = createServer({ cert, key }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => treat(request, response, Buffer.concat(parts)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  cleanUp(close)
  const { port } = server.address() as AddressInfo

  /** Connects every name to this server. */
  class ToThisServer extends Agent {
    // biome-ignore lint/suspicious/noExplicitAny: Node declares no options here
    override createConnection(options: any) {
      return connectTls({ socket: connect(port, '127.0.0.1'), servername: options.servername, ca: cert })
    }
  }
  return Object.assign(state, { agent: new ToThisServer(), close })
}

/** A browser: its subscription, and a function that reads what the push service received. */
export function testBrowser(key: string, name = randomBytes(4).toString('hex')) {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  const auth = randomBytes(16)
  return {
    subscription: {
      endpoint: `https://${HOST}/${name}`,
      p256dh: pair.getPublicKey().toString('base64url'),
      auth: auth.toString('base64url'),
      key,
    },
    /** Decrypts a message (RFC 8291, RFC 8188 with one record). */
    read({ body }: ReceivedPush): Record<string, string> {
      const salt = body.subarray(0, 16)
      const keyLength = body[20] as number
      const sender = body.subarray(21, 21 + keyLength)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
      const secret = hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32)
      const derive = (what: string, bytes: number) =>
        Buffer.from(hkdfSync('sha256', Buffer.from(secret), salt, `Content-Encoding: ${what}\0`, bytes))
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
      const record = body.subarray(21 + keyLength)
      decipher.setAuthTag(record.subarray(-16))
      const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
      // The last byte that is not zero ends the text.
      return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString())
    },
  }
}
