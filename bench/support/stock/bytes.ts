// Bare node:http, answering the same bytes to everybody, headers and body.
import { createServer } from 'node:http'
import { listen } from './listen.ts'

const headers = JSON.parse(process.env.HEADERS ?? '{}')
const body = Buffer.from(process.env.BODY ?? '')
listen(
  createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  }),
)
