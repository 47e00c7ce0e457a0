import { createHash, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { GRAPHQL_PATH, LANES, type Lane, STEPS, type Step } from '../../../src/server/graphql/lanes.ts'
import { CLASSES, type Class, type Limits } from '../../../src/server/graphql/priority.ts'
import { createHttp } from '../../../src/server/http/http.ts'
import { createServerParts } from '../../../src/server/index.ts'
import { createSockets } from '../../../src/server/sockets/sockets.ts'
import { readSource, sourcesBelow } from '../../gates/sources.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'

const { url, app, db, ask, token } = await testServer()
const event = await insertEvent(db)

interface Credentials {
  token?: string
  device?: string
  admission?: string
}

/** What a lane answered: the first result, or how the transport ended. */
interface Answer {
  data?: Json
  errors?: Json[]
  status?: number
  closeCode?: number
  headers?: Headers
  text: string
}

/** The text of a document, or a whole request. */
type Asked = string | { query: string; extensions: object }
const requestOf = (asked: Asked) => (typeof asked === 'string' ? { query: asked } : asked)

function byPost(contentType: string) {
  return async (at: string, asked: Asked, { token, device, admission }: Credentials = {}) => {
    const response = await fetch(`${at}${GRAPHQL_PATH}`, {
      method: 'POST',
      headers: {
        'content-type': contentType,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(device && { 'device-id': device }),
        ...(admission && { 'admission-token': admission }),
      },
      body: JSON.stringify(requestOf(asked)),
    })
    const text = await response.text()
    return { ...JSON.parse(text), status: response.status, headers: response.headers, text } as Answer
  }
}

function bySocket(at: string, asked: Asked, { token, device, admission }: Credentials = {}) {
  const ws = new WebSocket(`${at.replace('http', 'ws')}${GRAPHQL_PATH}`, 'graphql-transport-ws')
  const send = (message: object) => ws.send(JSON.stringify(message))
  return new Promise<Answer>((resolve, reject) => {
    ws.on('error', reject)
    ws.on('open', () =>
      send({
        type: 'connection_init',
        payload: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(device && { deviceId: device }),
          ...(admission && { admissionToken: admission }),
        },
      }),
    )
    ws.on('close', (closeCode) => resolve({ closeCode, text: '' }))
    ws.on('message', (message) => {
      const text = String(message)
      const { type, payload } = JSON.parse(text)
      if (type === 'connection_ack') send({ type: 'subscribe', id: '1', payload: requestOf(asked) })
      if (type === 'next') resolve({ ...payload, text })
      if (type === 'error') resolve({ errors: payload, text })
    })
  }).finally(() => ws.terminate())
}

const askBy: Record<Lane, (at: string, asked: Asked, credentials?: Credentials) => Promise<Answer>> = {
  fastPost: byPost('application/json'),
  // The fast lane takes `application/json` only.
  yoga: byPost('application/graphql+json'),
  socket: bySocket,
  group: bySocket,
}

/** A document for the lane that selects these fields of the sale. */
const saleDocument = (lane: Lane, fields: string) =>
  lane === 'group'
    ? `subscription { saleUpdated(eventId: "${event.id}") { ${fields} } }`
    : `{ event(id: "${event.id}") { sale { ${fields} } } }`

/** A document for the lane that needs an admission to the event. */
const mapDocument = (lane: Lane, { id }: { id: string }) =>
  lane === 'group'
    ? `subscription { seatSection(eventId: "${id}", sectionId: "A") { available } }`
    : `{ event(id: "${id}") { sections { availability { available } } } }`

const codes = ({ errors }: Answer) => errors?.map(({ extensions }) => extensions.code)

/** Serves the app by other parts. Returns the address. */
async function serve(parts: ReturnType<typeof createServerParts>): Promise<string> {
  const traffic = { isDraining: () => false, isClosing: () => false, begin() {}, end() {} }
  const http: Server = createHttp({ ...parts, traffic })
  const sockets = createSockets(parts)
  sockets.attach(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    await sockets.close()
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** A server with no room for any operation. */
const none: Limits = { running: 0, mostWaiting: 0, patienceSeconds: 1 }
const limits = Object.fromEntries(CLASSES.map((of) => [of, none])) as Record<Class, Limits>
const fullUrl = await serve(createServerParts(app, limits))

/** A server that runs one document for each lane, besides those of our own clients. */
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const trustedTexts = LANES.map((lane) => saleDocument(lane, 'state'))
const manifest = join(inject('temporaryFolder'), `${randomUUID()}.manifest.json`)
writeFileSync(manifest, JSON.stringify(Object.fromEntries(trustedTexts.map((text) => [sha256(text), text]))))
const trustedDocuments = { files: [manifest] }
const trustedUrl = await serve(createServerParts({ ...app, env: { ...app.env, trustedDocuments } }))

async function admitted(to: { id: string }) {
  const fan = { token: await token(), device: 'phone' }
  const join = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { queueToken } } }`
  const { queueToken } = (await ask(join, { id: to.id }, fan)).data.joinQueue
  const position = `query ($t: String!) { queuePosition(queueToken: $t) { admission { token } } }`
  let admission = ''
  await expect
    .poll(
      async () => {
        await app.pacer.tick(to.id)
        admission = (await ask(position, { t: queueToken }, fan)).data.queuePosition.admission?.token
        return admission
      },
      { timeout: 20_000 },
    )
    .toBeTruthy()
  return { ...fan, admission }
}

async function countOf(lane: Lane): Promise<number> {
  const field = lane === 'group' ? 'subscription.saleUpdated' : 'query.event'
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = new RegExp(`^fairgate_operation_seconds_count{field="${field}",outcome="ok"} (\\d+)$`, 'm')
  return Number(line.exec(text)?.[1] ?? 0)
}

/** Checks that the lane contains the step. A new step needs a check here; a new lane needs a driver above. */
const checks: Record<Step, (lane: Lane) => Promise<void>> = {
  async 'bound the size'(lane) {
    const large = `${saleDocument(lane, 'state')} # ${'x'.repeat(300_000)}`
    const { status, closeCode } = await askBy[lane](url, large)
    expect(status ?? closeCode).toBe(status === undefined ? 1009 : 413)
  },
  async 'run trusted documents only'(lane) {
    const text = saleDocument(lane, 'state')
    const byHash = (hash: string) => ({
      query: '',
      extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
    })
    for (const asked of [text, byHash(sha256(text))])
      expect(codes(await askBy[lane](trustedUrl, asked))).toBeUndefined()
    for (const asked of [`${text} `, saleDocument(lane, 'available'), byHash(sha256('another'))])
      expect(codes(await askBy[lane](trustedUrl, asked))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
    expect(codes(await askBy[lane](url, byHash(sha256(text))))).toEqual(['PERSISTED_QUERY_NOT_SUPPORTED'])
  },
  async 'parse within limits'(lane) {
    const answer = await askBy[lane](url, saleDocument(lane, 'waitingRoom { waiting } '.repeat(101)))
    expect(codes(answer)).toEqual(['BAD_USER_INPUT'])
    expect(answer.text).toContain('selects waitingRoom 101 times')
  },
  async 'wait in the priority class'(lane) {
    expect(codes(await askBy[lane](fullUrl, saleDocument(lane, 'state')))).toEqual(['OVERLOADED'])
  },
  async 'identify the caller'(lane) {
    const withLine = await insertEvent(db, { waitingRoom: true, rate: 1_000 })
    const ana = await admitted(withLine)
    const document = mapDocument(lane, withLine)
    expect(codes(await askBy[lane](url, document, ana))).toBeUndefined()
    for (const stranger of [
      {},
      { ...ana, token: await token() },
      { ...ana, device: 'laptop' },
      { ...ana, admission: 'x' },
    ])
      expect(codes(await askBy[lane](url, document, stranger))).toEqual(['ADMISSION_REQUIRED'])
  },
  async validate(lane) {
    const unknown = await askBy[lane](url, saleDocument(lane, 'nothing'))
    expect(codes(unknown)).toEqual(['BAD_USER_INPUT'])
    const fields = Array.from({ length: 31 }, (_, i) => `a${i}: state`).join(' ')
    const aliases = await askBy[lane](url, saleDocument(lane, fields))
    expect(codes(aliases)).toEqual(['BAD_USER_INPUT'])
    expect(aliases.text).toContain('aliases')
  },
  async 'limit the cost'(lane) {
    const answer = await askBy[lane](url, saleDocument(lane, 'state '.repeat(301)))
    expect(codes(answer)).toEqual(['BAD_USER_INPUT'])
    expect(answer.text).toMatch(/breadth is \d+; the limit is 300/)
  },
  async 'present errors'(lane) {
    const find = vi.spyOn(app.sales, 'find').mockRejectedValue(new Error('password=hunter2'))
    const answer = await askBy[lane](url, saleDocument(lane, 'state')).finally(() => find.mockRestore())
    expect(codes(answer)).toEqual(['INTERNAL'])
    expect(answer.errors?.[0].extensions).toEqual({ code: 'INTERNAL', requestId: expect.any(String) })
    expect(answer.text).not.toContain('hunter2')
  },
  async count(lane) {
    const before = await countOf(lane)
    expect(codes(await askBy[lane](url, saleDocument(lane, 'state')))).toBeUndefined()
    expect(await countOf(lane)).toBe(before + 1)
  },
  async 'forbid caches'(lane) {
    // Nothing caches the messages of a socket.
    if (lane === 'socket' || lane === 'group') return
    const { headers } = await askBy[lane](url, saleDocument(lane, 'state'))
    expect(headers?.get('cache-control')).toBe('no-store')
  },
}

describe.each(LANES)('the lane %s', (lane) => {
  test.each(STEPS)('contains the step: %s', (step) => checks[step](lane))
})

describe('no lane passes the pipeline', () => {
  const sources = sourcesBelow('src')
  const importing = (name: RegExp, from: string) =>
    sources
      .filter(({ code, imports }) => imports.some(({ to }) => to === from) && name.test(code))
      .map(({ path }) => path)

  test('only the pipeline executes documents of clients', () => {
    const runs = /import\s*\{[^}]*\b(?<!type )(execute|subscribe|experimentalExecute\w+)\b[^}]*\}\s*from/
    expect(importing(runs, 'graphql')).toEqual([
      'src/server/graphql/compiled.ts',
      'src/server/graphql/lanes.ts',
      // It executes one fixed document of ours.
      'src/server/http/routes/publicState.ts',
    ])
    expect(importing(/./, 'graphql-jit')).toEqual(['src/server/graphql/compiled.ts'])
    expect(
      sources
        .filter(({ imports }) => imports.some(({ to }) => to === 'src/server/graphql/compiled.ts'))
        .map(({ path }) => path),
    ).toEqual(['src/server/graphql/lanes.ts'])
  })

  test('only the Yoga lane hooks into Yoga', () => {
    expect(importing(/./, 'graphql-yoga')).toEqual(['src/server/graphql/yoga.ts'])
  })

  test('the check finds an import of several lines', () => {
    const { code } = readSource('src/a.ts', "import {\n  parse,\n  execute,\n} from 'graphql'")
    expect(code).toMatch(/import\s*\{[^}]*\bexecute\b[^}]*\}\s*from/)
  })
})
