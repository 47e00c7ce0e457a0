// Bare node:http and pg: what comes as JSON goes into the function, and what it answers goes back.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { listen } from './listen.ts'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 })
const TEXT = 'select * from hold_seats($1, $2, $3, $4, $5, $6, $7, null, null, null, false)'

listen(
  createServer(async (request, response) => {
    const { eventId, accountId, key, seatNos } = (await json(request)) as Record<string, unknown>
    const values = [eventId, accountId, key, 'hash', `hld_${randomUUID()}`, seatNos, []]
    const { rows } = await pool.query({ name: 'hold', text: TEXT, values })
    const body = JSON.stringify(rows[0])
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }),
)
