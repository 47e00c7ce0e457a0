import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, inject, test } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { readEnv } from '../../../src/env.ts'
import { startJobs } from '../../../src/jobs/index.ts'
import { makeKeys } from '../../../src/keys.ts'
import { createWorkerHttp } from '../../../src/server/http/workerHttp.ts'
import { recordFailures } from '../../../src/sql/ops/failedJobs.ts'
import { StartFailed } from '../../../src/startFailed.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { lossyProxy } from '../../support/lossyProxy.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, whenReady } from '../../support/room.ts'

const WAIT = { timeout: 30_000, interval: 200 }

const db = await testDatabase()
const redis = await testRedis()
const proxy = await lossyProxy(db.url)
const keysFile = join(inject('temporaryFolder'), `${randomUUID()}.keys.json`)
writeFileSync(keysFile, JSON.stringify(await makeKeys()))
const variables = {
  EMBEDDED: 'true',
  DATABASE_URL: proxy.url,
  REDIS_URL: redis.url,
  KEYS_FILE: keysFile,
  LOG_LEVEL: 'silent',
  WORKER_PORT: '0',
}
const app = await createApp(readEnv(variables))
const workerHttp = createWorkerHttp(app)
const { url } = (await workerHttp.listen()) as { url: string }
const pacer = { tick: workerHttp.countTicks(app.pacer.tick) }
const jobs = await startJobs({ ...app, pacer }, { metrics: workerHttp.jobMetrics })
afterAll(async () => {
  await jobs.close(5_000)
  workerHttp.close()
  await app.close()
})

/** The number of a series, as Prometheus would read it; undefined where there is none. */
async function series(name: string, at = url): Promise<number | undefined> {
  const text = await (await fetch(`${at}/metrics`)).text()
  const line = text.split('\n').find((found) => found.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

test('a worker reports the outcomes of its jobs and of the pacer, and the work that waits for ops', async () => {
  await whenReady(app.roomRedis)
  const event = await insertEvent(db, { waitingRoom: true, rate: 2 })
  // One by one, so that one tick calls each of them.
  for (let called = 1; called <= 3; called++) {
    await app.waitingRoom.join(fan(), { eventId: event.id })
    await expect.poll(() => series('fairgate_places_called_total'), WAIT).toBe(called)
  }
  const ticks = (outcome: string) =>
    series(`fairgate_pacer_ticks_total{event="${event.id}",outcome="${outcome}"}`)
  expect(await ticks('called')).toBeGreaterThanOrEqual(2)
  await expect.poll(() => ticks('nobody'), WAIT).toBeGreaterThan(0)
  await expect
    .poll(() => series('fairgate_job_seconds_count{name="callPlaces",outcome="done"}'), WAIT)
    .toBeGreaterThan(2)

  expect(await series('fairgate_dead_letters')).toBe(0)
  const failure = { queue: 'capturePayment', job: 'capturePayment', data: {}, error: 'no', attempts: 3 }
  await recordFailures(db, [{ ...failure, jobId: 'lost', subject: null, failedAt: new Date() }], [])
  await expect.poll(() => series('fairgate_dead_letters'), WAIT).toBe(1)
  expect(await series('fairgate_orders_paying')).toBe(0)
})

test('ticks are reported for active sales only', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 0 })
  const isReported = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return text.includes(`fairgate_pacer_ticks_total{event="${event.id}"`)
  }
  await pacer.tick(event.id)
  await expect.poll(isReported, WAIT).toBe(true)
  await db.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [event.id])
  await pacer.tick(event.id)
  await expect.poll(isReported, WAIT).toBe(false)
})

test('a worker serves its health and its metrics only', async () => {
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ alive: true })
  expect(await (await fetch(`${url}/readyz?x`)).json()).toMatchObject({ ready: true, parts: { redis: 'ok' } })
  expect((await fetch(`${url}/graphql`)).status).toBe(404)
  const post = await fetch(`${url}/metrics`, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a request that Node refuses by itself is answered with the security headers', async () => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end('GET /healthz HTTP/1.1\r\nno header\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 .*\r\nx-content-type-options: nosniff\r\n/s)
})

test('a port in use stops the start; without a port the worker does not listen', async () => {
  const taken = createWorkerHttp({ ...app, env: { ...app.env, workerPort: Number(new URL(url).port) } })
  await expect(taken.listen()).rejects.toThrow(StartFailed)
  await expect(taken.listen()).rejects.toThrow(/WORKER_PORT: .*EADDRINUSE/)
  const { WORKER_PORT: _, ...unset } = variables
  expect(await createWorkerHttp({ ...app, env: readEnv(unset) }).listen()).toBeNull()
})

test('without its database a worker is not ready, and leaves out the metrics that it cannot read', async () => {
  const own = createWorkerHttp(app)
  const { url } = (await own.listen()) as { url: string }
  const parts = async () => {
    const answer = await fetch(`${url}/readyz`)
    return { status: answer.status, ...((await answer.json()) as { parts: object }).parts }
  }
  const called = await series('fairgate_places_called_total', url)
  proxy.loseReplies()
  await expect.poll(parts, WAIT).toMatchObject({ status: 503 })
  await expect.poll(() => series('fairgate_dead_letters', url), WAIT).toBeUndefined()
  expect(await series('fairgate_places_called_total', url)).toBe(called)
  proxy.heal()
  await expect.poll(parts, WAIT).toMatchObject({ status: 200 })
  own.drain()
  expect(await parts()).toMatchObject({ process: 'draining' })
  own.close()
})
