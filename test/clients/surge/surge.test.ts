import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { createFairgate, memorySession, type Section } from '../../../clients/sdk/index.ts'
import { createEvent } from '../../../clients/sdk/staff.ts'
import { startJobs } from '../../../src/jobs/index.ts'
import { testServer } from '../../support/server.ts'

const server = await testServer()
const jobs = await startJobs(server.app)
afterAll(() => jobs.close(5_000))

const MAIN = fileURLToPath(new URL('../../../clients/surge/main.ts', import.meta.url))

/** The command as it is run; what it says and its exit code. */
async function surge(...args: string[]): Promise<{ code: number; said: string }> {
  const run = promisify(execFile)(process.execPath, [MAIN, '--url', server.url, ...args], {
    timeout: 110_000,
  })
  const { code = 0, stdout, stderr } = await run.catch((failed) => failed)
  return { code, said: stdout + stderr }
}

/** A hall of 24 seats in two rows, on sale in a moment, whose line is open. */
async function hall(sale: object = {}) {
  const session = memorySession()
  session.accountToken = await server.token('organizer', { roles: ['organizer', 'ops'] })
  const organizer = createFairgate({ url: server.url, session })
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  const slug = `hall-${randomUUID()}`
  await createEvent(organizer.client, {
    slug,
    name: 'A small hall',
    startsAt: at(86_400),
    timeZone: 'Europe/Berlin',
    venue: { name: 'Hall' },
    seatingPlan: {
      name: 'Two rows',
      size: { width: 500, height: 100 },
      categories: [{ name: 'All', color: '#1D3557' }],
      zones: [
        {
          name: 'Hall',
          position: { x: 0, y: 0 },
          rows: ['1', '2'].map((name, row) => ({
            row_number: name,
            position: { x: 0, y: row * 40 },
            seats: Array.from({ length: 12 }, (_, i) => ({
              seat_guid: `${name}-${i}`,
              seat_number: String(i + 1),
              position: { x: i * 25, y: 0 },
              category: 'All',
            })),
          })),
        },
      ],
    },
    currency: 'EUR',
    prices: [{ category: 'All', price: 2_500 }],
    sale: { preQueueOpensAt: at(-60), opensAt: at(2), admissionRate: 100, ...sale },
  })
  const event = await organizer.sales.page(slug)
  if (!event) throw new Error('the event is not there')
  return event
}

test.concurrent('a crowd sells a hall out, and the sale adds up; once it is over, a second crowd is told so', async () => {
  const event = await hall()
  const { code, said } = await surge('--fans', '60', '--slug', event.slug, '--seed', '7', '--minutes', '2')
  expect(said).toContain('It adds up')
  expect(code, said).toBe(0)
  expect(said).toMatch(/sold to the crowd, each once +24\b/)
  const seats = await server.db.sql(
    'select count(*)::int as tickets, count(distinct seat_no)::int as seats from tickets where event_id = $1 and voided_at is null',
    [event.id],
  )
  expect(seats).toEqual([{ tickets: 24, seats: 24 }])

  const again = await surge('--fans', '5', '--slug', event.slug)
  expect(again).toEqual({
    code: 2,
    said: expect.stringContaining('that sale is sold out. Leave --slug out'),
  })
})

test.concurrent('exits with 1 and says what is wrong where a sale does not add up', async () => {
  const event = await hall({ opensAt: new Date().toISOString(), waitingRoom: false })
  const session = memorySession()
  session.accountToken = await server.token('early', { emailVerified: true })
  const early = createFairgate({ url: server.url, session })
  const [seat] = await early.seatMap.layout(event.id, event.sections[0] as Section)
  const hold = await early.holds.hold(event.id, { seats: [seat?.id ?? ''] })
  if (hold.__typename !== 'Hold') throw new Error(hold.__typename)
  await early.checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })
  // Nothing of ours does this: a sold seat loses its ticket.
  await server.db.sql('delete from tickets where event_id = $1', [event.id])

  const { code, said } = await surge('--fans', '1', '--slug', event.slug, '--minutes', '1')
  expect(said).toContain('IT DOES NOT ADD UP')
  expect(said).toContain(`SEAT_WITHOUT_TICKET ${seat?.id}`)
  expect(code).toBe(1)
})

test.concurrent('says in one sentence that nothing answers, and that there is no such event', async () => {
  expect(await surge('--url', 'http://127.0.0.1:9', '--fans', '1')).toEqual({
    code: 2,
    said: 'Nothing answers at --url http://127.0.0.1:9: is Fairgate running there (npm start)?\n',
  })
  expect(await surge('--slug', 'no-such-event')).toEqual({
    code: 2,
    said: '--slug no-such-event: there is no such event.\n',
  })
})
