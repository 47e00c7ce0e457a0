import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { channels } from '../../../../src/redis/keys.ts'
import { cleanUp } from '../../../support/cleanUp.ts'
import { insertEvent } from '../../../support/event.ts'
import { testServer } from '../../../support/server.ts'

const { url, app, db } = await testServer()
const PATIENT = { timeout: 20_000 }

/** The server's side of each connection, by the client's port. */
const accepted = new Map<number | undefined, Socket>()
const onAccepted = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  accepted.set(socket.remotePort, socket)
}
diagnostics.subscribe('net.server.socket', onAccepted)
cleanUp(() => diagnostics.unsubscribe('net.server.socket', onAccepted))

const follow = (eventId: string) => ({
  query: `subscription { saleUpdated(eventId: "${eventId}") { state } }`,
})

/** How many processes listen for the sale: a subscription that goes on keeps this one listening. */
async function listeners(eventId: string): Promise<number> {
  const [, count] = (await app.redis.call('PUBSUB', 'NUMSUB', channels.sale(eventId))) as [string, number]
  return count
}

test.each(['application/json', 'multipart/mixed', 'text/html;q=0.9, application/json'])(
  'a subscription whose client accepts only %s is refused, and leaves nothing behind',
  async (accept) => {
    const { id } = await insertEvent(db)
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(follow(id)),
    })
    expect(answer.status).toBe(406)
    await expect.poll(() => listeners(id), PATIENT).toBe(0)
  },
)

test('clients that leave while their event stream starts leave nothing behind', async () => {
  const { id } = await insertEvent(db)
  const { hostname, port } = new URL(url)
  const body = JSON.stringify(follow(id))
  const { find } = app.sales
  const { promise: gate, resolve: release } = Promise.withResolvers<void>()
  let waiting = 0
  // The subscription starts while its clients leave.
  Object.assign(app.sales, {
    find: async (eventId: string) => {
      if (eventId === id && waiting < 10) {
        waiting++
        await gate
      }
      return find(eventId)
    },
  })
  cleanUp(() => Object.assign(app.sales, { find }))
  const sockets = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => {})
      await once(socket, 'connect')
      socket.write(
        `POST /graphql HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
      return socket
    }),
  )
  await expect.poll(() => waiting, PATIENT).toBe(10)
  const ports = sockets.map(({ localPort }) => localPort)
  for (const socket of sockets) socket.resetAndDestroy()
  await expect.poll(() => ports.every((own) => accepted.get(own)?.closed), PATIENT).toBe(true)
  release()
  const text = async () => (await fetch(`${url}/metrics`)).text()
  await expect.poll(text, PATIENT).toMatch(/^fairgate_event_streams 0$/m)
  await expect.poll(() => listeners(id), PATIENT).toBe(0)
})

test('no cache may keep an event stream, nor an error', async () => {
  const { id } = await insertEvent(db)
  const abort = new AbortController()
  const stream = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(follow(id)),
    signal: abort.signal,
  })
  const errors = await Promise.all(
    [
      `/events/${id}x/waiting-room.json`,
      `/events/${id}/layouts/1-made0up.json`,
      '/nothing',
      '/dev/token',
      '/%zz',
    ].map((path) => fetch(`${url}${path}`)),
  )
  expect(errors.map(({ status }) => status)).toEqual([404, 404, 404, 405, 400])
  expect([stream, ...errors].map(({ headers }) => headers.get('cache-control'))).toEqual(
    Array.from({ length: 6 }, () => 'no-store'),
  )
  abort.abort()
  await expect.poll(() => listeners(id), PATIENT).toBe(0)
})
