import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { BadRequest, readBody } from '../../../src/server/http/bodies.ts'

const LIMIT = 1_000
const read: Promise<Buffer>[] = []
const server = createServer(async (request: IncomingMessage, response) => {
  // The body waits while the server identifies the caller.
  await sleep(5)
  const body = readBody(request, LIMIT)
  read.push(body)
  body.then(
    (bytes) => response.end(bytes),
    (error) => response.writeHead(error.status, { connection: 'close' }).end(error.message),
  )
})
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => void server.close())
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`

function open(head: string) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`)
  return socket
}

test('a body is read completely, in one or many pieces; an empty body too', async () => {
  for (const body of ['', 'x', 'é'.repeat(400)])
    expect(await (await fetch(url, { method: 'POST', body })).text()).toBe(body)
  const socket = open('transfer-encoding: chunked')
  for (const chunk of ['3\r\nabc\r\n', '2\r\nde\r\n', '0\r\n\r\n']) {
    socket.write(chunk)
    await sleep(2)
  }
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/abcde$/)
  socket.destroy()
})

test('a body that is too long is refused at once, by its declared or its received length', async () => {
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(LIMIT + 1) })).status).toBe(413)
  const socket = open('transfer-encoding: chunked')
  socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413.*at most 1000 bytes/s)
  await once(socket, 'close')
})

test('a client that disconnects in the middle of its body is not waited for', async () => {
  for (const ms of [0, 20]) {
    const reads = read.length
    const socket = open('content-length: 10')
    socket.write('half')
    await once(socket, 'connect')
    await sleep(ms)
    socket.destroy()
    while (read.length === reads) await sleep(1)
    await expect(read.at(-1)).rejects.toBeInstanceOf(BadRequest)
  }
})
