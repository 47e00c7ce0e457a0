import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { BadRequest, readBody } from '../../../src/server/http/bodies.ts'
import { boundBody } from '../../../src/server/http/pieces.ts'

const LIMIT = 1_000
const read: Promise<Buffer>[] = []
let pieces = 0
const server = createServer(async (request: IncomingMessage, response) => {
  const { push } = request
  pieces = 0
  request.push = (...piece) => {
    pieces++
    return push.apply(request, piece)
  }
  boundBody(request, true)
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

test('a body in thousands of tiny pieces is refused; one in hundreds of small pieces is read', async () => {
  const socket = open('transfer-encoding: chunked')
  socket.write('1\r\nx\r\n'.repeat(9_000))
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400.*pieces of at least 64 bytes/s)
  await once(socket, 'close')
  // Node parses no more of them, although they have arrived.
  expect(pieces).toBeLessThan(300)

  const packets = open('transfer-encoding: chunked')
  packets.write(`${'3\r\nabc\r\n'.repeat(250)}0\r\n\r\n`)
  const [whole] = await once(packets, 'data')
  expect(String(whole)).toMatch(/^HTTP\/1\.1 200.*(abc){250}$/s)
  packets.destroy()
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
