import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createLocalJWKSet } from 'jose'
import { describe, expect, test } from 'vitest'
import { createPriority, limitsFor } from '../../../src/server/graphql/priority.ts'
import { createPages } from '../../../src/server/http/routes/pages.ts'
import { insertEvent } from '../../support/event.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Json, testServer } from '../../support/server.ts'

const { url, app, db, ask } = await testServer()
const event = await insertEvent(db, {
  sections: [
    { seats: 4, key: 'A' },
    { places: 3, key: 'B' },
  ],
  waitingRoom: true,
})

const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
const errorsOf = async (response: Response) => ((await response.json()) as Json).errors

/** Sends a request that no client library would send. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end(text))
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

/** The status of a request for a token with these headers, which fetch would not send. */
const from = async (host: string, origin?: string, at = url) => {
  const headers = { 'content-type': 'application/json', host, ...(origin !== undefined && { origin }) }
  const sent = httpRequest(`${at}/dev/token`, { method: 'POST', headers }).end(
    '{"account":"ana","roles":["ops"]}',
  )
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

describe('an address', () => {
  test('that is unknown, malformed or has another method is refused with a message', async () => {
    const nowhere = await get('/nothing')
    expect(nowhere.status).toBe(404)
    expect(await errorsOf(nowhere)).toEqual([
      { message: 'There is nothing at this address.', extensions: { code: 'NOT_FOUND' } },
    ])
    const wrong = await get('/healthz', { method: 'POST' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const put = await get('/graphql', { method: 'PUT', body: '{}' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST'])
    for (const path of ['/e/%', '/events/%E0%A4%A/waiting-room.json', '/%zz']) {
      const bad = await get(path)
      expect(bad.status).toBe(400)
      expect(await errorsOf(bad)).toMatchObject([{ message: 'The address is not well-formed.' }])
    }
    // The router treats it as the bare address.
    expect(await raw('GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 302/)
    expect(await raw('GET //\\/ HTTP/1.1\r\nHost: :::\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 404/,
    )
    expect((await get('/healthz')).status).toBe(200)
  })

  test('that was requested before gets the same answer, by each method', async () => {
    const other = await insertEvent(db)
    const request = (path: string, method: string) =>
      get(path, { method }).then(async (answer) => [answer.status, (await answer.text()).slice(0, 40)])
    const methods = ['GET', 'HEAD', 'POST', 'GET', 'POST', 'HEAD', 'PUT', 'GET']
    const paths = [event.id, other.id, 'evt_nothing'].map((id) => `/events/${id}/waiting-room.json`)
    const seen = new Map<string, unknown>()
    for (const method of methods) {
      for (const path of paths) {
        const answer = await request(path, method)
        const key = `${method} ${path}`
        if (seen.has(key)) expect(answer).toEqual(seen.get(key))
        else seen.set(key, answer)
      }
    }
    const statuses = paths.map((path) => ['GET', 'HEAD', 'POST', 'PUT'].map((m) => seen.get(`${m} ${path}`)))
    const refused = (status: number) => [status, expect.stringContaining('errors')]
    expect(statuses).toEqual([
      [[200, expect.stringContaining(event.id.slice(4))], [200, ''], refused(405), refused(405)],
      [[200, expect.stringContaining(other.id.slice(4))], [200, ''], refused(405), refused(405)],
      [refused(404), [404, ''], refused(405), refused(405)],
    ])
  })

  test('is served although the client offers HTTP/2', async () => {
    const offer =
      'Host: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    expect(await raw(`GET /healthz HTTP/1.1\r\n${offer}\r\n`)).toMatch(/^HTTP\/1.1 200/)
    const body = '{"query":"{ __typename }"}'
    const post = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    expect(await raw(`POST /graphql HTTP/1.1\r\n${offer}${post}\r\n${body}`)).toContain(
      '"__typename":"Query"',
    )
  })

  test('closes the connection of a request with a body that it does not read', async () => {
    const endless = 'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'
    for (const head of ['GET /healthz', 'POST /nothing', 'PUT /graphql', 'GET /graphql?query={__typename}']) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      let answer = ''
      socket.on('data', (data) => {
        answer += data
      })
      socket.write(`${head} HTTP/1.1\r\nHost: x\r\n${endless}`)
      await once(socket, 'close')
      expect(answer).toMatch(/^HTTP\/1.1 (200|40[45]).*connection: close/is)
    }
    const empty = 'Content-Length: 0\r\n\r\n'
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: x\r\n${empty}`)).toMatch(/connection: keep-alive/i)
  })

  test('may be written in full, as to a proxy', async () => {
    const asked = (target: string) => raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(await asked('http://any.example/healthz')).toMatch(/^HTTP\/1.1 200.*{"alive":true}/s)
    expect(await asked('http://any.example:1/graphql?query=%7Bviewer%7BaccountId%7D%7D')).toMatch(
      /^HTTP\/1.1 200.*{"data":{"viewer":null}}/s,
    )
    // The second names a host "graphql", and the bare address of it.
    for (const target of ['http://any.example', 'http:///graphql'])
      expect(await asked(target)).toMatch(/^HTTP\/1.1 302.*location: \/e\/demo/s)
    for (const target of ['http://[', 'ftp://any.example/healthz'])
      expect(await asked(target)).toMatch(/^HTTP\/1.1 40[04]/)
  })

  test("answers with a request id: the proxy's id, where it is well-formed", async () => {
    expect((await get('/healthz')).headers.get('x-request-id')).toMatch(/^[\w-]{16}$/)
    const withId = (id: string) => get('/healthz', { headers: { 'x-request-id': id } })
    expect((await withId('abc-1')).headers.get('x-request-id')).toBe('abc-1')
    expect((await withId('a b<script>')).headers.get('x-request-id')).toMatch(/^[\w-]{16}$/)
  })
})

describe('the public state of a sale', () => {
  test('is the JSON of Sale; caches may serve it for two seconds, and for ten minutes during an outage', async () => {
    const response = await get(`/events/${event.id}/waiting-room.json`)
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('public, max-age=2, stale-if-error=600')
    const state = (await response.json()) as Json
    const { data } = await ask(`{ __type(name: "Sale") { fields { name } } }`)
    expect(Object.keys(state).sort()).toEqual(data.__type.fields.map(({ name }: Json) => name).sort())
    expect(state).toMatchObject({
      state: 'ON_SALE',
      available: 7,
      sections: [{ available: 4 }, { available: 3 }],
      waitingRoom: { eventId: event.id, admittedUpTo: 0, draw: { size: 0, beacon: '' } },
      payments: { provider: 'sandbox' },
    })
  })

  test('is not sent again to a client that has it', async () => {
    // The state may change between two requests.
    await expect
      .poll(
        async () => {
          const first = await get(`/events/${event.id}/waiting-room.json`)
          const etag = first.headers.get('etag') as string
          const again = await get(`/events/${event.id}/waiting-room.json`, {
            headers: { 'if-none-match': `W/${etag.replace('W/', '')}` },
          })
          return [again.status, await again.text()]
        },
        { timeout: 20_000 },
      )
      .toEqual([304, ''])
    const head = await get(`/events/${event.id}/waiting-room.json`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('of an unknown event is 404', async () => {
    for (const id of ['evt_nothing', 'x', 'evt_%00', "'"])
      expect((await get(`/events/${id}/waiting-room.json`)).status).toBe(404)
  })
})

describe('layouts', () => {
  test('are served at the address that the API names, and never change there', async () => {
    const { data } = await ask(
      `query ($id: ID!) { event(id: $id) { sections { key layoutUrl layout {
      id key index row number x y priceLevelId wheelchair companionOf } } } }`,
      { id: event.id },
    )
    const [seated, standing] = data.event.sections
    const path = new URL(seated.layoutUrl).pathname
    const response = await get(path)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual(seated.layout)
    expect(seated.layout).toHaveLength(4)
    expect(await (await get(new URL(standing.layoutUrl).pathname)).json()).toEqual([])
    for (const wrong of [path.replace('test', 'tesu'), path.replace('/1-', '/3-'), path.replace('.json', '')])
      expect((await get(wrong)).status).toBe(404)
  })
})

describe('the process', () => {
  test('is alive and ready', async () => {
    expect(await (await get('/healthz')).json()).toEqual({ alive: true })
    const ready = await get('/readyz')
    expect(await ready.json()).toEqual({
      ready: true,
      parts: {
        database: 'ok',
        migrations: 'ok',
        redis: 'ok',
        identity: 'ok',
        queueDatabase: 'ok',
        queueMigrations: 'ok',
        queueRedis: 'ok',
      },
    })
    expect(ready.status).toBe(200)
  })

  test('reports metrics by operation and outcome', async () => {
    await ask('{ viewer { accountId } }')
    await ask('{ order(id: "x") { id } }')
    const text = await (await get('/metrics')).text()
    expect(text).toMatch(/fairgate_operation_seconds_count\{field="query\.viewer",outcome="ok"\} [1-9]/)
    expect(text).toMatch(
      /fairgate_operation_seconds_count\{field="query\.order",outcome="UNAUTHENTICATED"\} [1-9]/,
    )
    expect(text).toMatch(/fairgate_http_request_seconds_count\{route="\/graphql",status="200"\} [1-9]/)
    expect(text).toMatch(/fairgate_outbox_rows 0/)
    expect(text).toMatch(/fairgate_sockets 0/)
  })

  test('publishes the public keys of barcodes, and no private part', async () => {
    const set = (await (await get('/.well-known/jwks.json')).json()) as Json
    expect(createLocalJWKSet(set)).toBeTypeOf('function')
    expect(set.keys).toHaveLength(1)
    expect(set.keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', kid: expect.any(String) })
    expect(JSON.stringify(set)).not.toMatch(/"d":/)
  })
})

describe('POST /dev/token', () => {
  const json = { 'content-type': 'application/json' }
  const token = (body: unknown, headers: Record<string, string> = json) =>
    get('/dev/token', {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  test('returns a token of the account', async () => {
    const given = (await (await token({ account: 'ana', roles: ['ops'] })).json()) as { token: string }
    expect((await ask('{ viewer { accountId } }', {}, given)).data).toEqual({ viewer: { accountId: 'ana' } })
  })

  test.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['a list', '[]'],
    ['no account', {}],
    ['an account of no text', { account: '' }],
    ['an account with control characters', { account: 'a\u0000' }],
    ['an account of 10,000 characters', { account: 'x'.repeat(10_000) }],
    ['an unknown role', { account: 'ana', roles: ['root'] }],
    ['an unknown field', { account: 'ana', admin: true }],
    ['a word for a truth', { account: 'ana', emailVerified: 'yes' }],
  ])('refuses %s', async (_name, body) => {
    const response = await token(body)
    expect([400, 413]).toContain(response.status)
    expect(await errorsOf(response)).toMatchObject([{ message: expect.stringMatching(/\w/) }])
  })

  test('takes JSON only: a page of another site could send every other type without a preflight', async () => {
    const types = ['text/plain', 'text/plain; application/json', 'application/x-www-form-urlencoded', '']
    for (const type of types) {
      const headers: Record<string, string> = type ? { 'content-type': type } : {}
      expect((await token({ account: 'ana' }, headers)).status).toBe(415)
    }
    expect(
      (await token({ account: 'ana' }, { 'content-type': 'Application/JSON; charset=utf-8' })).status,
    ).toBe(200)
  })

  const port = new URL(url).port
  test('refuses a name that is not its own: a site can make its name this address (DNS rebinding)', async () => {
    const foreign = [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '192.0.2.7',
      '0.0.0.0',
      ':::',
    ]
    expect(await Promise.all(foreign.map((host) => from(host)))).toEqual(foreign.map(() => 403))
    const own = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'fairgate.localhost', 'LOCALHOST']
    expect(await Promise.all(own.map((host) => from(host)))).toEqual(own.map(() => 200))
  })

  test('refuses pages of every other origin, on this machine too', async () => {
    const host = `localhost:${port}`
    const foreign = ['https://evil.example', 'null', 'http://localhost:1', `http://127.0.0.1:${port}`, '']
    expect(await Promise.all(foreign.map((origin) => from(host, origin)))).toEqual(foreign.map(() => 403))
    expect(await from(host, `http://${host}`)).toBe(200)
  })
})

test('where other machines may get tokens, POST /dev/token takes its public name and every address, and no other name', async () => {
  const { url: at } = await testServer({
    EMBEDDED_ANYWHERE: 'yes',
    PUBLIC_URL: 'https://tickets.example.com',
  })
  const own = ['tickets.example.com', '192.0.2.7:4000', '[2001:db8::7]', 'localhost']
  expect(await Promise.all(own.map((host) => from(host, undefined, at)))).toEqual(own.map(() => 200))
  expect(await from('evil.example', undefined, at)).toBe(403)
  expect(await from('tickets.example.com', 'https://tickets.example.com', at)).toBe(200)
  expect(await from('tickets.example.com', 'https://www.example.com', at)).toBe(403)
})

describe('the page', () => {
  test('of an unknown event says that there is no such event', async () => {
    for (const slug of ['nothing', "'", 'x'.repeat(200)]) {
      const response = await get(`/e/${slug}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect(await response.text()).toContain('There is no such event')
    }
  })

  test('of an unknown event is in the language that the browser asks for', async () => {
    const read = async (language: string) =>
      (await fetch(`${url}/e/nothing`, { headers: { 'accept-language': language } })).text()
    expect(await read('it-IT, de-AT;q=0.9, en;q=0.8')).toContain('<html lang="de" dir="ltr">')
    expect(await read('ar')).toContain('<html lang="ar" dir="rtl">')
    expect(await read('it')).toContain('<html lang="en" dir="ltr">')
  })

  test('may be cached for a minute, and its assets for ever', async () => {
    const folder = join(temporaryFolder('page'), 'dist')
    await mkdir(join(folder, 'assets'), { recursive: true })
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tickets</title>')
    await writeFile(join(folder, 'assets', 'index-1a2b.js'), 'go()')
    const pages = createPages({ app, priority: createPriority({ limits: limitsFor(10) }) }, folder)
    const server = createServer((request, response) => {
      if (request.url === '/page') void pages.sendPage(request, response, event.slug)
      else pages.sendAsset(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const page = await fetch(`${address}/page`)
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=86400')
    expect(await page.text()).toContain('<title>Tickets</title>')
    const asset = await fetch(`${address}/assets/index-1a2b.js`)
    expect(asset.headers.get('cache-control')).toBe('public,max-age=31536000,immutable')
    expect(asset.headers.get('content-type')).toMatch(/javascript/)
    // Paths outside of the folder are refused.
    for (const path of [
      '/assets/..%2f..%2fpackage.json',
      '/assets/..%2f..%2f..%2fpackage.json',
      '/assets/nothing.js',
    ])
      expect((await fetch(address + path)).status).toBe(404)
    await new Promise((resolve) => server.close(resolve))
  })
})
