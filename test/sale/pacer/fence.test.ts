import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, testRoom } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const room = await testRoom({ db, redisUrl: redis.url })
interface Pacer {
  /** Its next line. */
  said(): Promise<string>
  stop(): void
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
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const pacer: Pacer = {
    stop: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
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

test('of three processes that all believe they lead, one calls in each second', async () => {
  const { event } = await lineOf(300)
  await Promise.all([1, 2, 3].map(() => startPacer(event.id).said()))
  await expect.poll(async () => (await calls(event.id)).length, { timeout: 15_000 }).toBeGreaterThan(5)
  const log = await calls(event.id)
  expect(log.map(({ admitted_up_to }) => admitted_up_to)).toEqual(log.map((_, i) => 5 * (i + 1)))
  expect(log.map(({ tick }) => tick)).toEqual(log.map((_, i) => i + 1))
  for (const { gap } of log.slice(1)) expect(gap).toBeGreaterThanOrEqual(0.9)
})

test('a leader that is stopped between what it read and what it writes changes nothing when it wakes', async () => {
  const { event } = await lineOf(300)
  const asleep = startPacer(event.id, 'read')
  expect(await asleep.said()).toBe('here')
  asleep.stop()
  const other = startPacer(event.id)
  for (let i = 0; i < 3; i++) await other.said()
  await other.kill()
  // Over 0.9 s ago: nothing but the tick that it saw keeps the sleeper from calling.
  await sleep(1_000)
  const before = [await roomRow(event.id), await calls(event.id)]
  asleep.goOn()
  expect(await asleep.said()).toBe('null')
  expect(await asleep.said()).toBe('here')
  asleep.stop()
  expect([await roomRow(event.id), await calls(event.id)]).toEqual(before)
})

test('a leader that is killed before it publishes has called all the same: everybody hears within two seconds', async () => {
  const { event, fans, tokens } = await lineOf(20)
  const state = async (i: number) =>
    (await room.waitingRoom.position(tokens[i] as string, fans[i] as (typeof fans)[0])).state
  expect(await state(4)).toBe('WAITING')
  const leader = startPacer(event.id, 'written')
  expect(await leader.said()).toBe('here')
  await leader.kill()
  await expect.poll(() => state(4), { timeout: 2_000 }).toBe('ADMITTED')
  expect(await state(5)).toBe('WAITING')
})
