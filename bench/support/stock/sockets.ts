// A bare `ws` server: what is posted to it goes to every socket, as it is.
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
