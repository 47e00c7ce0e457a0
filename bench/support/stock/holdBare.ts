// Bare node:http and pg: JSON values go into the SQL function, and the answer has the same bytes as Fairgate's.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { newId, planId } from '../../../src/sale/ids.ts'
import { listen } from './listen.ts'

// Connections live as long as Fairgate's, because a new connection has planned no statement yet.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20, idleTimeoutMillis: 60_000 })
const TEXT = 'select * from hold_seats($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'

listen(
  createServer(async (request, response) => {
    const { eventId, accountId, key, seatNos } = (await json(request)) as Record<string, string>
    const id = newId('hld', eventId as string)
    const values = [eventId, accountId, key, 'hash', id, null, null, null, false, seatNos, []]
    const { rows } = await pool.query({ name: 'hold', text: TEXT, values })
    const [row] = rows
    const hold = {
      __typename: 'Hold',
      id: row.hold_id,
      state: row.state,
      expiresAt: row.expires_at,
      asOf: row.as_of,
      total: { amount: Number(row.amount), currency: row.currency },
      items: row.seat_nos.map((no: number, i: number) => ({
        seat: { id: planId('seat', eventId as string, no) },
        total: { amount: Number(row.prices[i]) + Number(row.fees[i]) },
      })),
    }
    const body = JSON.stringify({ data: { hold } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }),
)
