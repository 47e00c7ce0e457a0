// Bare node:http: the same headers and body for every request.
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
