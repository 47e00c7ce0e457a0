import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, passSecond, testRoom } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const room = await testRoom({ db, redisUrl: redis.url })
interface Pacer {
  /** The next line that it prints. */
  said(): Promise<string>
  /** Lets it go on from its point. */
  goOn(): void
  kill(): Promise<void>
}

let pacers: Pacer[] = []
afterAll(() => room.close())
afterEach(async () => {
  await Promise.all(pacers.map(({ kill }) => kill()))
  pacers = []
})

const SCRIPT = fileURLToPath(new URL('../../support/pacer.ts', import.meta.url))

function startPacer(eventId: string, point?: 'read' | 'written'): Pacer {
  const args = [SCRIPT, db.url, redis.url, eventId, ...(point ? [point] : [])]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const pacer: Pacer = {
    goOn: () => child.stdin.write('\n'),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async said() {
      const { value, done } = await lines.next()
      if (done) throw new Error('the pacer ended by itself')
      return value as string
    },
  }
  pacers.push(pacer)
  return pacer
}

async function lineOf(count: number) {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 2_000 }], rate: 5 })
  const fans = Array.from({ length: count }, () => fan())
  return { event, fans, tokens: await fillLine(room, event.id, fans) }
}

const roomRow = async (eventId: string) =>
  (await db.sql('select tick::int, admitted_up_to, ticked_at from rooms where event_id = $1', [eventId]))[0]

const calls = (eventId: string) =>
  db.sql(
    `select tick::int, admitted_up_to, extract(epoch from at - lag(at) over (order by tick))::float as gap
     from calls where event_id = $1 order by tick`,
    [eventId],
  )

test('of three pacers that all assume they lead, one calls in each second', async () => {
  const { event } = await lineOf(300)
  await Promise.all([1, 2, 3].map(() => startPacer(event.id).said()))
  await expect.poll(async () => (await calls(event.id)).length, { timeout: 60_000 }).toBeGreaterThan(5)
  const log = await calls(event.id)
  expect(log.map(({ admitted_up_to }) => admitted_up_to)).toEqual(log.map((_, i) => 5 * (i + 1)))
  expect(log.map(({ tick }) => tick)).toEqual(log.map((_, i) => i + 1))
  for (const { gap } of log.slice(1)) expect(gap).toBeGreaterThanOrEqual(0.9)
})

test('a pacer that stands still between its reads and its write changes nothing when it goes on', async () => {
  const { event } = await lineOf(300)
  const asleep = startPacer(event.id, 'read')
  expect(await asleep.said()).toBe('here')
  const other = startPacer(event.id)
  for (let i = 0; i < 3; i++) await other.said()
  await other.kill()
  // The last tick is over 0.9 s ago: only the tick number that it has read keeps the sleeping pacer from calling.
  await passSecond(room, event.id)
  const before = [await roomRow(event.id), await calls(event.id)]
  asleep.goOn()
  expect(await asleep.said()).toBe('null')
  expect(await asleep.said()).toBe('here')
  expect([await roomRow(event.id), await calls(event.id)]).toEqual(before)
})

test('places that a pacer called before it was killed are admitted within seconds, though it never published them', async () => {
  const { event, fans, tokens } = await lineOf(20)
  const state = async (i: number) =>
    (await room.waitingRoom.position(tokens[i] as string, fans[i] as (typeof fans)[0])).state
  expect(await state(4)).toBe('WAITING')
  const leader = startPacer(event.id, 'written')
  expect(await leader.said()).toBe('here')
  await leader.kill()
  await expect.poll(() => state(4), { timeout: 10_000 }).toBe('ADMITTED')
  expect(await state(5)).toBe('WAITING')
})
