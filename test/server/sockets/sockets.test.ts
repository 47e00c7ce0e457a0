import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { NEW_DOCUMENTS } from '../../../src/server/graphql/newDocuments.ts'
import { BODY_BUDGET } from '../../../src/server/http/limits/bodyBudget.ts'
import { BOUNDS } from '../../../src/server/sockets/bounds.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'
import { followBySse } from '../../support/sse.ts'

// Operations without an event have four fifths of 90 slots: one socket alone reaches its own bound.
const { url, app, db, ask, token, socket } = await testServer({ DATABASE_POOL: '30' })
const socketUrl = `${url.replace('http', 'ws')}/graphql`
const open = await insertEvent(db, { sections: [{ seats: 4 }, { places: 2 }] })

/** Every channel that this process listens to at the moment. */
const listening = new Map<string, number>()
const { listen } = app.hub
app.hub.listen = (channel, listener) => {
  listening.set(channel, (listening.get(channel) ?? 0) + 1)
  const stop = listen(channel, listener)
  let stopped = false
  return () => {
    if (!stopped) listening.set(channel, (listening.get(channel) ?? 0) - 1)
    stopped = true
    stop()
  }
}
/** Without rooms, which stay loaded for a minute after their last use. */
const listeners = () =>
  [...listening].reduce((sum, [channel, n]) => sum + (channel.endsWith(':room') ? 0 : n), 0)

/** A socket that sends and reads raw messages. */
async function connect({ headers = {}, protocol = 'graphql-transport-ws', path = '' }: Json = {}) {
  const ws = new WebSocket(`${socketUrl}${path}`, protocol, { headers })
  const messages: Json[] = []
  let wake = () => {}
  ws.on('message', (data) => {
    messages.push(JSON.parse(String(data)))
    wake()
  })
  const closed = new Promise<number>((resolve) => ws.once('close', resolve))
  const opened = await new Promise<number>((resolve, reject) => {
    ws.once('open', () => resolve(101))
    ws.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    ws.once('error', reject)
  })
  return {
    ws,
    opened,
    closed,
    send: (message: unknown) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** The next message that has not been taken yet. */
    async next(): Promise<Json> {
      while (messages.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return messages.shift()
    },
    async init(payload?: object) {
      ws.send(JSON.stringify({ type: 'connection_init', payload }))
      expect((await this.next()).type).toBe('connection_ack')
      return this
    },
    subscribe: (id: string, query: string, variables = {}) =>
      ws.send(JSON.stringify({ type: 'subscribe', id, payload: { query, variables } })),
  }
}

/** An account token that lasts for a few seconds more. */
async function shortToken(account: string, seconds = 0): Promise<string> {
  const { SignJWT } = await import('jose')
  const [{ kid, privateKey }] = app.keys.accounts
  return (
    new SignJWT({ email_verified: true, roles: [] })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt' })
      .setSubject(account)
      .setIssuer(app.env.identity.issuer)
      .setAudience(app.env.identity.audience)
      // The server accepts it for 5 s more: its tolerance.
      .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
      .sign(privateKey)
  )
}

const isServed = async (peer: Awaited<ReturnType<typeof connect>>) => {
  peer.subscribe('alive', '{ viewer { accountId } }')
  const { type } = await peer.next()
  return type === 'next' && (await peer.next()).type === 'complete'
}

/** The same, where other operations may send messages too. */
const isServedAfter = async (peer: Awaited<ReturnType<typeof connect>>) => {
  peer.subscribe('alive', '{ viewer { accountId } }')
  let message: Json
  do message = await peer.next()
  while (message.id !== 'alive')
  return message.type === 'next'
}

const first = async (query: string, variables = {}, params = {}): Promise<Json> => {
  for await (const value of socket(params).iterate({ query, variables })) return value
}

describe('opening a socket', () => {
  test('is allowed for apps and for our own pages, and refused for other pages', async () => {
    expect((await connect()).opened).toBe(101)
    expect((await connect({ headers: { origin: url } })).opened).toBe(101)
    expect((await connect({ headers: { origin: app.env.publicUrl } })).opened).toBe(101)
    for (const origin of ['https://evil.example', 'null', 'x'])
      expect((await connect({ headers: { origin } })).opened).toBe(403)
  })

  test('works at /graphql only', async () => {
    expect((await connect({ path: '?a=b' })).opened).toBe(101)
    expect((await connect({ path: 's' })).opened).toBe(404)
  })

  test('fails for a client that does not greet within seconds; other sockets stay open', async () => {
    const greeted = await (await connect()).init()
    const silent = await connect()
    expect(await silent.closed).toBe(4408)
    expect(await isServed(greeted)).toBe(true)
  })

  test("fails with the protocol's close codes for a client that breaks the protocol", async () => {
    await expect(connect({ protocol: 'graphql-ws' })).rejects.toThrow(/subprotocol/)
    const garbage = await connect()
    garbage.send('{')
    expect(await garbage.closed).toBe(4400)
    const early = await connect()
    early.subscribe('1', '{ viewer { accountId } }')
    expect(await early.closed).toBe(4401)
    const twice = await (await connect()).init()
    twice.send({ type: 'connection_init' })
    expect(await twice.closed).toBe(4429)
    const same = await (await connect()).init()
    const query = 'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }'
    same.subscribe('1', query, { id: open.id })
    same.subscribe('1', query, { id: open.id })
    expect(await same.closed).toBe(4409)
    // Messages that only a server sends.
    for (const message of [
      { type: 'next', id: '1', payload: { data: {} } },
      { type: 'error', id: '1', payload: [{ message: 'no' }] },
      { type: 'connection_ack' },
      { type: 'else' },
    ]) {
      const mistaken = await (await connect()).init()
      mistaken.send(message)
      expect(await mistaken.closed).toBe(4400)
    }
    const large = await (await connect()).init()
    large.send(JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(300_000) } }))
    expect(await large.closed).toBe(1009)
  })

  test('fails with 4403 for a bad token, so that the client connects again with a new one', async () => {
    const bad = await connect()
    bad.send({ type: 'connection_init', payload: { authorization: 'Bearer x' } })
    expect(await bad.closed).toBe(4403)
  })
})

describe('operations on a socket', () => {
  test('run for the account of connectionParams, or for no account', async () => {
    const authorization = `Bearer ${await token('ana')}`
    expect(await first('{ viewer { accountId } }', {}, { authorization })).toEqual({
      data: { viewer: { accountId: 'ana' } },
    })
    expect(await first('{ viewer { accountId } }')).toEqual({ data: { viewer: null } })
    const { errors } = await first('subscription { orderUpdated(id: "x") { id } }')
    expect(errors).toMatchObject([{ path: ['orderUpdated'], extensions: { code: 'UNAUTHENTICATED' } }])
    expect(errors[0].extensions).not.toHaveProperty('http')
  })

  test('are refused with the codes of HTTP: for roles, limits and faulty input', async () => {
    const fan = { authorization: `Bearer ${await token('ana')}` }
    const ops = { authorization: `Bearer ${await token('otto', { roles: ['ops'] })}` }
    const code = async (query: string, params: object) => {
      try {
        return (await first(query, {}, params)).errors[0].extensions.code
      } catch (errors) {
        return (errors as Json)[0].extensions.code
      }
    }
    expect(await code('subscription { saleMetrics(eventId: "x") { waiting } }', fan)).toBe('FORBIDDEN')
    expect(await code('subscription { saleMetrics(eventId: "x") { waiting } }', ops)).toBe('BAD_USER_INPUT')
    expect(await code('subscription { waitlistUpdated(id: "wle_x_1") { id } }', fan)).toBe('BAD_USER_INPUT')
    expect(await code('subscription { orderUpdated(id: "ord_x_1") { id } }', fan)).toBe('BAD_USER_INPUT')
    expect(await code('subscription { holdUpdated(id: "hld_x_1") { id } }', fan)).toBe('BAD_USER_INPUT')
    expect(await code('subscription { saleUpdated(eventId: "evt_x") { id } }', fan)).toBe('BAD_USER_INPUT')
    expect(await code('subscription { queuePosition(queueToken: "x") { state } }', fan)).toBe(
      'QUEUE_TOKEN_INVALID',
    )
    expect(await code('{ nothing }', fan)).toBe('BAD_USER_INPUT')
    expect(await code('{', fan)).toBe('BAD_USER_INPUT')
    expect(await code(`{ ${'viewer { accountId } '.repeat(600)} }`, fan)).toBe('BAD_USER_INPUT')
    const cost = 'events(first: 100) { edges { node { sections { layout { id } } } } }'
    expect(await code(`{ ${cost} }`, fan)).toBe('BAD_USER_INPUT')
    const leave = 'leaveQueue(input: { queueToken: "x" }) { state }'
    expect(await code(`mutation { a: ${leave} b: ${leave} }`, fan)).toBe('BAD_USER_INPUT')
  })

  test('run fifty at once, and the next one is refused', async () => {
    const greedy = await (await connect()).init()
    for (let i = 0; i < 51; i++)
      greedy.subscribe(String(i), 'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }', {
        id: open.id,
      })
    const messages: Json[] = []
    while (new Set(messages.map(({ id }) => id)).size < 51) messages.push(await greedy.next())
    const refused = messages.filter(({ type }) => type === 'error')
    expect(refused).toMatchObject([{ id: '50', payload: [{ extensions: { code: 'RATE_LIMITED' } }] }])
    greedy.ws.close()
  })

  test('with a name that is not in the document are refused as bad input', async () => {
    const peer = await (await connect()).init()
    for (const payload of [
      { query: 'query A { viewer { accountId } }', operationName: 'B' },
      { query: 'query A { viewer { accountId } } query B { viewer { accountId } }' },
    ]) {
      peer.send({ type: 'subscribe', id: '1', payload })
      expect(await peer.next()).toMatchObject({
        id: '1',
        type: 'error',
        payload: [{ extensions: { code: 'BAD_USER_INPUT', faults: [{ path: ['operationName'] }] } }],
      })
    }
    peer.ws.close()
  })

  test('count until they have ended, also where the client has left them', async () => {
    const { eventBySlug } = app.catalogue
    const { promise, resolve } = Promise.withResolvers<null>()
    onTestFinished(() => {
      app.catalogue.eventBySlug = eventBySlug
      resolve(null)
    })
    let started = 0
    app.catalogue.eventBySlug = () => {
      started++
      return promise
    }
    const greedy = await (await connect()).init()
    for (let i = 0; i < 50; i++) greedy.subscribe(`${i}`, '{ eventBySlug(slug: "slow") { id } }')
    // An operation that is left while it waits for a slot ends at once.
    await expect.poll(() => started, { timeout: 30_000 }).toBe(50)
    for (let i = 0; i < 50; i++) greedy.send({ type: 'complete', id: `${i}` })
    for (let i = 50; i < 60; i++) greedy.subscribe(`${i}`, '{ eventBySlug(slug: "slow") { id } }')
    for (let i = 0; i < 10; i++)
      expect(await greedy.next()).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'RATE_LIMITED' } }],
      })
    app.catalogue.eventBySlug = eventBySlug
    resolve(null)
    await expect.poll(() => isServed(greedy)).toBe(true)
    greedy.ws.close()
  })

  test('free their id when the client leaves them; the id then carries only the new operation', async () => {
    const { eventBySlug } = app.catalogue
    const { promise, resolve } = Promise.withResolvers<null>()
    const slow = vi.fn(() => promise)
    app.catalogue.eventBySlug = slow
    const peer = await (await connect()).init()
    for (let i = 0; i < 3; i++) {
      peer.subscribe('1', '{ eventBySlug(slug: "slow") { id } }')
      // An operation that is left before it has a slot never begins.
      await vi.waitFor(() => expect(slow).toHaveBeenCalled())
      peer.send({ type: 'complete', id: '1' })
    }
    peer.subscribe('1', '{ viewer { accountId } }')
    peer.subscribe('2', '{ viewer { accountId } }')
    expect(await peer.next()).toMatchObject({ id: '2', type: 'next' })
    expect(await peer.next()).toMatchObject({ id: '2', type: 'complete' })
    app.catalogue.eventBySlug = eventBySlug
    resolve(null)
    expect(await peer.next()).toEqual({ id: '1', type: 'next', payload: { data: { viewer: null } } })
    expect(await peer.next()).toEqual({ id: '1', type: 'complete' })
    for (let i = 0; i < 2; i++) peer.subscribe('1', '{ viewer { accountId } }')
    expect(await peer.closed).toBe(4409)
  })

  test('with an id that is too long close their socket', async () => {
    const peer = await (await connect()).init()
    peer.subscribe('x'.repeat(200), '{ viewer { accountId } }')
    expect(await peer.next()).toMatchObject({ type: 'next' })
    peer.subscribe('x'.repeat(201), '{ viewer { accountId } }')
    expect(await peer.closed).toBe(4400)
  })

  test('in hundreds of frames close their socket: each frame takes memory until the message is whole', async () => {
    const peer = await (await connect()).init()
    for (let i = 0; i < BOUNDS.fragments; i++) peer.ws.send(' ', { fin: false })
    peer.ws.send('{"type":"ping"}', { fin: true })
    expect(await peer.closed).toBe(1008)
  })

  test('that never arrive whole have the budget of unfinished bodies; a socket with less stays', async () => {
    const half = async (address: string, bytes: number) => {
      const peer = await (await connect({ headers: { 'x-forwarded-for': address } })).init()
      const tcp = (peer.ws as unknown as { _socket: Socket })._socket
      const length = Buffer.alloc(8)
      length.writeUInt32BE(BOUNDS.messageBytes, 4)
      tcp.write(Buffer.concat([Buffer.from([0x81, 0xff]), length, Buffer.alloc(4 + bytes)]))
      return peer
    }
    const hostile = await Promise.all(Array.from({ length: 20 }, () => half('192.0.2.77', 255 * 1_024)))
    const others = await Promise.all([half('192.0.2.77', 10_000), half('192.0.2.78', 255 * 1_024)])
    const { freeBytes } = BODY_BUDGET
    const fits = Math.floor(BODY_BUDGET.others.perSender / (255 * 1_024 - freeBytes))
    const open = () => hostile.filter(({ ws }) => ws.readyState === ws.OPEN).length
    await expect.poll(open, { timeout: 30_000 }).toBe(fits)
    expect(others.map(({ ws }) => ws.readyState)).toEqual(others.map(({ ws }) => ws.OPEN))
    for (const { ws } of [...hostile, ...others]) ws.terminate()
  })

  test('with a new document are refused where their address has spent its time for these, over HTTP too', async () => {
    const { ofAddress } = NEW_DOCUMENTS
    onTestFinished(() => void Object.assign(NEW_DOCUMENTS, { ofAddress }))
    Object.assign(NEW_DOCUMENTS, { ofAddress: { burst: 0, aSecond: 0.01 } })
    const headers = { 'x-forwarded-for': '192.0.2.99' }
    const known = '{ viewer { accountId } }'
    const [spent, refused, before] = [
      await ask('query spends { viewer { accountId } }', {}, { headers }),
      await ask('query refused { viewer { accountId } }', {}, { headers }),
      await ask(known, {}, { headers }),
    ]
    expect([spent.status, refused.status, before.status]).toEqual([200, 429, 200])
    const peer = await (await connect({ headers })).init()
    peer.subscribe('new', 'query another { viewer { accountId } }')
    expect((await peer.next()).payload[0].extensions.code).toBe('RATE_LIMITED')
    peer.subscribe('known', known)
    expect((await peer.next()).payload).toEqual({ data: { viewer: null } })
  })

  test('in a flood close their socket after a few are read; other clients are served', async () => {
    let read = 0
    const { parse } = JSON
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      if (String(text).startsWith('{"type":"subscribe","id":"flood')) read++
      return parse(text, reviver)
    })
    const flooding = async (peer: Awaited<ReturnType<typeof connect>>) => {
      for (let i = 0; i < 20_000; i++) peer.subscribe(`flood-${i}`, '{ a }')
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    }
    const socketsOpen = async () =>
      Number(/^fairgate_sockets (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

    const listening = await (await connect()).init()
    await flooding(listening)
    expect(await listening.closed).toBe(4429)
    // An accepted message is parsed twice: by us and by graphql-ws.
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(1_500)

    const before = await socketsOpen()
    const deaf = await (await connect()).init()
    deaf.ws.pause()
    await flooding(deaf)
    // Sockets that were closing before are closed by then too.
    await expect.poll(socketsOpen, { timeout: 30_000 }).toBeLessThanOrEqual(before)
    expect(read).toBeLessThan(3_000)
    deaf.ws.terminate()
    spy.mockRestore()
  })

  test('lose their account when its token expires, and the socket stays open', async () => {
    const peer = await (await connect()).init({ authorization: `Bearer ${await shortToken('ana')}` })
    const viewer = async (id: string) => {
      peer.subscribe(id, '{ viewer { accountId } }')
      const answer = await peer.next()
      await peer.next()
      return answer.payload
    }
    expect(await viewer('1')).toMatchObject({ data: { viewer: { accountId: 'ana' } } })
    await expect
      .poll(() => viewer('2'), { timeout: 20_000 })
      .toMatchObject({
        data: { viewer: null },
        errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
      })
    expect(peer.ws.readyState).toBe(peer.ws.OPEN)
  })
})

describe('subscriptions on a socket', () => {
  test('send the current value at once, then each change', async () => {
    const event = await insertEvent(db, { sections: [{ seats: 4 }, { places: 2 }] })
    const values = socket().iterate<Json>({
      query: `subscription ($id: ID!, $section: ID!) { seatSection(eventId: $id, sectionId: $section) {
        sectionId version previousVersion available snapshot { statuses } changes { index status } } }`,
      variables: { id: event.id, section: 'A' },
    })
    const snapshot = (await values.next()).value.data.seatSection
    expect(snapshot).toMatchObject({
      available: 4,
      previousVersion: null,
      snapshot: { statuses: 'AA==' },
      changes: [],
    })
    const fan = { token: await token() }
    const hold = await ask(
      `mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }`,
      { input: { eventId: event.id, selection: { seats: [event.seatId(2)] }, idempotencyKey: 'k' } },
      fan,
    )
    const change = (await values.next()).value.data.seatSection
    expect(change).toMatchObject({
      sectionId: event.sectionId(1),
      previousVersion: snapshot.version,
      available: 3,
      snapshot: null,
      changes: [{ index: 1, status: 'HELD' }],
    })
    await values.return?.()

    const updates = socket({ authorization: `Bearer ${fan.token}` }).iterate<Json>({
      query: 'subscription ($id: ID!) { holdUpdated(id: $id) { state items { seat { key } } } }',
      variables: { id: hold.data.hold.id },
    })
    expect((await updates.next()).value.data.holdUpdated).toEqual({
      state: 'ACTIVE',
      items: [{ seat: { key: 'A-1-2' } }],
    })
    await ask(
      'mutation ($id: ID!) { releaseHold(input: { holdId: $id }) { __typename } }',
      { id: hold.data.hold.id },
      fan,
    )
    expect((await updates.next()).value.data.holdUpdated.state).toBe('RELEASED')
    expect((await updates.next()).done).toBe(true)
  })

  test('stop listening at once when the client leaves them or closes the socket', async () => {
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
    const peer = await (await connect()).init()
    // An event without followers: followers of one event share one listener.
    const unwatched = await insertEvent(db)
    const query = 'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }'
    for (const id of ['1', '2']) peer.subscribe(id, query, { id: unwatched.id })
    await peer.next()
    await peer.next()
    expect(listeners()).toBeGreaterThan(0)
    peer.send({ type: 'complete', id: '1' })
    peer.ws.terminate()
    await peer.closed
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
  })

  test('leave nothing behind when the client leaves them, or closes the socket, before they begin', async () => {
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
    const unwatched = await insertEvent(db)
    const { find } = app.sales
    let asked = 0
    let admitted = 0
    let goOn = () => {}
    const isLeft = new Promise<void>((resolve) => (goOn = resolve))
    app.sales.find = async (eventId) => {
      asked++
      await isLeft
      admitted++
      return find(eventId)
    }
    const query = 'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }'
    const [leaving, gone] = [await (await connect()).init(), await (await connect()).init()]
    for (const peer of [leaving, gone]) peer.subscribe('1', query, { id: unwatched.id })
    await expect.poll(() => asked, { timeout: 5_000 }).toBe(2)
    gone.ws.terminate()
    await gone.closed
    leaving.send({ type: 'complete', id: '1' })
    // The server has read all that was sent before.
    leaving.send({ type: 'ping' })
    expect(await leaving.next()).toEqual({ type: 'pong' })
    goOn()
    await expect.poll(() => admitted, { timeout: 5_000 }).toBe(2)
    app.sales.find = find
    const gauges = async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return text.match(/^fairgate_broadcast_\w+ \d+/gm)
    }
    await expect
      .poll(gauges, { timeout: 5_000 })
      .toEqual(['fairgate_broadcast_groups 0', 'fairgate_broadcast_followers 0'])
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
    leaving.ws.close()
  })

  test('that reuse one id send their value once, and leave nothing behind', async () => {
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
    const { id } = await insertEvent(db, { waitingRoom: true })
    const account = { authorization: `Bearer ${await token()}`, deviceId: 'a phone' }
    const place = await first(
      'mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { queueToken } } }',
      { id },
      account,
    )
    const variables = { id, token: place.data.joinQueue.queueToken }
    for (const query of [
      'subscription ($token: String!) { queuePosition(queueToken: $token) { arrival } }',
      'subscription ($id: ID!) { saleUpdated(eventId: $id) { id } }',
    ]) {
      const peer = await (await connect()).init(account)
      const received: Json[] = []
      peer.ws.on('message', (data) => received.push(JSON.parse(String(data))))
      for (let i = 0; i < 10; i++) {
        peer.subscribe('1', query, variables)
        if (i < 9) peer.send({ type: 'complete', id: '1' })
      }
      await expect.poll(() => received.length, { timeout: 5_000 }).toBeGreaterThan(0)
      await sleep(300)
      expect(received, query).toHaveLength(1)
      peer.ws.close()
      await peer.closed
    }
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
  })

  test('work as server-sent events too', async () => {
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
    const hall = await insertEvent(db, { sections: [{ seats: 4 }, { places: 2 }] })
    const abort = new AbortController()
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({
        query: `subscription { saleUpdated(eventId: "${hall.id}") { state available } }`,
      }),
      signal: abort.signal,
    })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('data: {')) text += (await reader?.read())?.value ?? ''
    expect(text).toContain('event: next\ndata: {"data":{"saleUpdated":{"state":"ON_SALE","available":6}}}')
    abort.abort()
    await reader?.cancel().catch(() => {})
    await expect.poll(listeners, { timeout: 20_000 }).toBe(0)
  })
})

describe('a sale with a waiting room', () => {
  const SEATS = `subscription ($id: ID!) { seatSection(eventId: $id, sectionId: "A") { available } }`

  async function admitted(more = {}) {
    const event = await insertEvent(db, { waitingRoom: true, ...more })
    const account = await token()
    const peer = await (await connect()).init({ authorization: `Bearer ${account}`, deviceId: 'phone' })
    const join = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { queueToken } } }`
    peer.subscribe('join', join, { id: event.id })
    const { queueToken } = (await peer.next()).payload.data.joinQueue
    await peer.next()
    return { event, peer, queueToken, account }
  }

  test('a socket keeps the admission that a queue position delivered on it', async () => {
    const { event, peer, queueToken } = await admitted()
    peer.subscribe('early', SEATS, { id: event.id })
    const early = await peer.next()
    expect(JSON.stringify(early)).toContain('ADMISSION_REQUIRED')
    if (early.type === 'next') await peer.next()

    peer.subscribe(
      'place',
      'subscription ($t: String!) { queuePosition(queueToken: $t) { state admission { token } } }',
      {
        t: queueToken,
      },
    )
    expect((await peer.next()).payload.data.queuePosition).toEqual({ state: 'WAITING', admission: null })
    await app.pacer.tick(event.id)
    let position: Json
    do position = (await peer.next()).payload.data.queuePosition
    while (position.state === 'WAITING')
    expect(position).toMatchObject({ state: 'ADMITTED', admission: { token: expect.any(String) } })

    peer.subscribe('seats', SEATS, { id: event.id })
    let seats: Json
    do seats = await peer.next()
    while (seats.id !== 'seats')
    expect(seats.payload).toEqual({ data: { seatSection: { available: 40 } } })
    peer.ws.close()
  })

  test('end when the account token expires: no admission is delivered later, over sockets and server-sent events', async () => {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1_000 })
    const account = 'kim'
    const fan = { token: await token(account), device: 'phone' }
    const join =
      'mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { queueToken } } }'
    const { queueToken } = (await ask(join, { id: event.id }, fan)).data.joinQueue
    const held = await ask(
      'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }',
      { input: { eventId: open.id, selection: { seats: [open.seatId(4)] }, idempotencyKey: 'kim' } },
      fan,
    )
    const short = `Bearer ${await shortToken(account, 5)}`
    const peer = await (await connect()).init({ authorization: short, deviceId: 'phone' })
    const POSITION =
      'subscription ($t: String!) { queuePosition(queueToken: $t) { state admission { token } } }'
    peer.subscribe('place', POSITION, { t: queueToken })
    peer.subscribe('hold', 'subscription ($id: ID!) { holdUpdated(id: $id) { state } }', {
      id: held.data.hold.id,
    })
    peer.subscribe('sale', 'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }', {
      id: event.id,
    })
    const headers = { authorization: short, 'device-id': 'phone' }
    const sse = await followBySse(url, POSITION, { t: queueToken }, { headers })
    const ended = new Map<string, string>()
    const states = new Set<string>()
    while (ended.size < 2) {
      const { id, type, payload } = await peer.next()
      if (type === 'error') ended.set(id, payload[0].extensions.code)
      if (id === 'place' && type === 'next') states.add(payload.data.queuePosition.state)
    }
    expect([...ended].sort()).toEqual([
      ['hold', 'UNAUTHENTICATED'],
      ['place', 'UNAUTHENTICATED'],
    ])
    await expect.poll(sse.isOver, { timeout: 20_000 }).toBe(true)
    expect(sse.results.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    // The place is called now. Only a fan with a token takes the turn.
    await app.pacer.tick(event.id)
    expect(await isServedAfter(peer)).toBe(true)
    expect(states).toEqual(new Set(['WAITING']))
    expect(await db.sql('select from admissions where event_id = $1', [event.id])).toEqual([])
    peer.ws.close()
  })

  test('a purchase ends the admission: the map and its updates end with it', async () => {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1_000 })
    const { who, params, queueToken } = await comeIn(event, 'phone')
    const peer = await (await connect()).init(params)
    peer.subscribe('seats', SEATS, { id: event.id })
    expect((await peer.next()).payload.data.seatSection.available).toBe(40)
    peer.subscribe('place', 'subscription ($t: String!) { queuePosition(queueToken: $t) { state } }', {
      t: queueToken,
    })
    const admitted = { ...who, admission: params.admissionToken }
    const MAP = 'query ($id: ID!) { event(id: $id) { section(id: "A") { availability { available } } } }'
    expect((await ask(MAP, { id: event.id }, admitted)).errors).toBeUndefined()
    const selection = { seats: [event.seatId(1)] }
    const held = await ask(
      'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }',
      { input: { eventId: event.id, selection, idempotencyKey: 'one' } },
      admitted,
    )
    const input = { holdId: held.data.hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'one' }
    const PAY = 'mutation ($input: CheckoutInput!) { checkout(input: $input) { ... on Order { state } } }'
    expect((await ask(PAY, { input }, admitted)).data.checkout).toEqual({ state: 'CONFIRMED' })
    const endings = new Map<string, Json>()
    while (!endings.has('seats') || !endings.has('place')) {
      const { id, type, payload } = await peer.next()
      if (type === 'error') endings.set(id, payload[0].extensions.code)
      if (payload?.data?.queuePosition?.state === 'FINISHED') endings.set(id, 'FINISHED')
    }
    expect(Object.fromEntries(endings)).toEqual({ seats: 'ADMISSION_REQUIRED', place: 'FINISHED' })
    expect((await ask(MAP, { id: event.id }, admitted)).errors).toMatchObject([
      { extensions: { code: 'ADMISSION_REQUIRED' } },
    ])
    peer.ws.close()
  })

  test('that need an admission end when the account token expires', async () => {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1_000 })
    const { params } = await comeIn(event, 'phone', 'lee')
    const authorization = `Bearer ${await shortToken('lee', 5)}`
    const peer = await (await connect()).init({ ...params, authorization })
    peer.subscribe('seats', SEATS, { id: event.id })
    expect((await peer.next()).payload.data.seatSection.available).toBe(40)
    expect(await peer.next()).toMatchObject({
      ...{ id: 'seats', type: 'error' },
      payload: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    })
    peer.ws.close()
  })

  test('an admission that expires ends the subscriptions that need it, and no others', async () => {
    const { event, peer, queueToken } = await admitted({ admissionSeconds: 8 })
    await app.pacer.tick(event.id)
    const query = 'query ($t: String!) { queuePosition(queueToken: $t) { state } }'
    let state: string
    do {
      peer.subscribe('place', query, { t: queueToken })
      state = (await peer.next()).payload.data.queuePosition.state
      await peer.next()
    } while (state === 'WAITING')
    expect(state).toBe('ADMITTED')
    peer.subscribe('seats', SEATS, { id: event.id })
    expect((await peer.next()).payload.data.seatSection.available).toBe(40)
    peer.subscribe('sale', 'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }', {
      id: event.id,
    })
    let message: Json
    do message = await peer.next()
    while (message.id !== 'seats')
    expect(message).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'ADMISSION_REQUIRED' } }],
    })
    peer.subscribe('alive', '{ viewer { accountId } }')
    do message = await peer.next()
    while (message.id !== 'alive')
    expect(message.payload.data.viewer).not.toBeNull()
    peer.ws.close()
  })

  /** A fan with an admission: the credentials for a request and for a socket. */
  async function comeIn({ id }: { id: string }, device: string, name?: string) {
    const account = await token(name)
    const who = { token: account, device }
    const join = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { queueToken } } }`
    const { queueToken } = (await ask(join, { id }, who)).data.joinQueue
    const position = `query ($t: String!) { queuePosition(queueToken: $t) { admission { token } } }`
    const admission = async () => {
      await app.pacer.tick(id)
      return (await ask(position, { t: queueToken }, who)).data.queuePosition.admission?.token as string
    }
    await expect.poll(admission, { timeout: 20_000 }).toBeTruthy()
    const params = {
      authorization: `Bearer ${account}`,
      deviceId: device,
      admissionToken: await admission(),
    }
    return { who, params, queueToken }
  }

  test('a group sends only to fans with an admission, and to each until their admission ends', async () => {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1_000 })
    const [ana, bob] = [await comeIn(event, 'phone'), await comeIn(event, 'laptop')]
    async function follow(params: object) {
      const peer = await (await connect()).init(params)
      peer.subscribe('seats', SEATS, { id: event.id })
      return { peer, answer: await peer.next() }
    }
    async function expectNext(peer: Awaited<ReturnType<typeof connect>>, available: number) {
      expect((await peer.next()).payload).toEqual({ data: { seatSection: { available } } })
    }
    async function expectNothingMore(peer: Awaited<ReturnType<typeof connect>>) {
      peer.subscribe('alive', '{ viewer { accountId } }')
      let message: Json
      do message = await peer.next()
      while (message.type === 'complete')
      expect(message.id).toBe('alive')
    }
    const [a, b] = [await follow(ana.params), await follow(bob.params)]
    for (const { answer } of [a, b])
      expect(answer.payload).toEqual({ data: { seatSection: { available: 40 } } })

    // The group exists already. These fans have no admission, or the admission of another fan or device.
    const strangers = await Promise.all([
      follow({}),
      follow({ ...bob.params, authorization: `Bearer ${await token()}` }),
      follow({ ...bob.params, deviceId: 'phone' }),
    ])
    for (const { answer } of strangers) expect(JSON.stringify(answer)).toContain('ADMISSION_REQUIRED')

    const change = async (seatNo: number) => {
      const [row] = await db.sql(
        'update seats set status = 3, revision = revision + 1 where event_id = $1 and no = $2 returning revision',
        [event.id, seatNo],
      )
      await app.seatMap.publish(event.id, [{ seatNo, status: 3, revision: row?.revision }])
    }
    await change(1)
    for (const { peer } of [a, b]) await expectNext(peer, 39)
    const leave = 'mutation ($t: String!) { leaveQueue(input: { queueToken: $t }) { state } }'
    await ask(leave, { t: ana.queueToken }, ana.who)
    expect(await a.peer.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'ADMISSION_REQUIRED' } }],
    })
    await change(2)
    await expectNext(b.peer, 38)
    for (const { peer } of [a, ...strangers]) await expectNothingMore(peer)
    for (const { peer } of [a, b, ...strangers]) peer.ws.close()
  })

  test('server-sent events end when the admission ends, with its code', async () => {
    const event = await insertEvent(db, { waitingRoom: true, admissionSeconds: 8 })
    const { who, params } = await comeIn(event, 'phone')
    const headers = {
      authorization: params.authorization,
      'device-id': who.device,
      'admission-token': params.admissionToken,
    }
    const { results, isOver } = await followBySse(url, SEATS, { id: event.id }, { headers })
    await expect.poll(isOver, { timeout: 20_000 }).toBe(true)
    expect(results).toMatchObject([
      { data: { seatSection: { available: 40 } } },
      { errors: [{ extensions: { code: 'ADMISSION_REQUIRED' } }] },
    ])
  })
})
