// A bare `ws` server: it sends the body of each POST unchanged to every socket.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { listen } from './listen.ts'

const http = createServer(async (request, response) => {
  const message = await buffer(request)
  for (const socket of sockets.clients) socket.send(message, { binary: false })
  response.end()
})
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
listen(http)
