// Bare node:http, answering the same bytes to everybody.
import { createServer } from 'node:http'
import { listen } from './listen.ts'

const body = Buffer.from(process.env.BODY ?? '')
listen(
  createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  }),
)
