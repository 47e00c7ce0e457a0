import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ReplyError } from 'ioredis'
import { expect, test } from 'vitest'
import { connectForCommands } from '../../src/redis/connect.ts'
import { isRedisOutage } from '../../src/redis/outage.ts'
import { testRedis } from '../support/redis.ts'

const redis = await testRedis()

/** Far longer than any of it takes, also on a busy machine. */
const WAIT = { timeout: 10_000 }

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

async function eventLoopPasses(passes: number) {
  for (let i = 0; i < passes; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('a Redis that is gone, refuses connections or does not reply counts as an outage, in every form of the error', async () => {
  const connection = connectForCommands(redis.url, { onError: () => {} })
  await expect.poll(() => connection.status, WAIT).toBe('ready')
  await redis.kill()
  const gone = await errorOf(connection.ping())
  expect(isRedisOutage(gone), String(gone)).toBe(true)
  connection.disconnect()
  expect(isRedisOutage(await errorOf(connection.ping()))).toBe(true)
  await redis.restart('kept')

  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as AddressInfo
  const unanswered = connectForCommands(`redis://127.0.0.1:${port}`, { onError: () => {} })
  expect(isRedisOutage(await errorOf(unanswered.ping()))).toBe(true)
  unanswered.disconnect()
  silent.close()

  for (const message of ['LOADING Redis is loading', 'READONLY You can’t write', 'OOM command not allowed'])
    expect(isRedisOutage(new ReplyError(message))).toBe(true)
  // One host with several addresses, and no server listens on any of them.
  expect(isRedisOutage(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(true)
})

test('only the first commands wait for a Redis that hangs; all others fail at once until it replies again', async () => {
  const connection = connectForCommands(redis.url)
  await expect.poll(() => connection.status, WAIT).toBe('ready')
  redis.hang()
  try {
    // The commands that were sent already share one wait.
    const [one, other] = await Promise.all([connection.get('a'), connection.set('a', '1')].map(errorOf))
    for (const error of [one, other]) expect(String(error)).toBe('Error: Command timed out')

    // Every other command fails within a few passes of the event loop, without a reply from Redis.
    const failed: unknown[] = []
    const passes = eventLoopPasses(20)
    for (const command of [
      () => connection.get('a'),
      () => connection.ping(),
      () => connection.eval('return 1', 0),
      () => connection.multi().set('a', '2').get('a').exec(),
    ])
      void errorOf(command()).then((error) => failed.push(error))
    const piped = connection.pipeline().get('a').set('a', '2').exec()
    await passes
    expect(failed.map(isRedisOutage)).toEqual([true, true, true, true])
    expect((await piped)?.map(([error]) => isRedisOutage(error))).toEqual([true, true])
  } finally {
    redis.resume()
  }
  await expect.poll(() => connection.get('a').catch(() => 'fails'), WAIT).toBe('1')
  expect(await connection.multi().set('a', '3').get('a').exec()).toEqual([
    [null, 'OK'],
    [null, '3'],
  ])
  connection.disconnect()
})

test('a client that connects to a Redis that hangs works once Redis replies', async () => {
  redis.hang()
  const connection = connectForCommands(redis.url)
  try {
    for (let i = 0; i < 30; i++) {
      expect(isRedisOutage(await errorOf(connection.ping()))).toBe(true)
      await sleep(100)
    }
  } finally {
    redis.resume()
  }
  await expect.poll(() => connection.ping().catch(() => 'fails'), WAIT).toBe('PONG')
  connection.disconnect()
})

test('a client whose Redis hangs and then dies works once Redis is back', async () => {
  const connection = connectForCommands(redis.url)
  await expect.poll(() => connection.status, WAIT).toBe('ready')
  redis.hang()
  expect(String(await errorOf(connection.ping()))).toBe('Error: Command timed out')
  await redis.restart('kept')
  await expect.poll(() => connection.ping().catch(() => 'fails'), WAIT).toBe('PONG')
  connection.disconnect()
})

test('an error in a command, or any other error, is no outage', () => {
  for (const message of ['WRONGTYPE Operation against a key', 'ERR unknown command', 'NOSCRIPT'])
    expect(isRedisOutage(new ReplyError(message))).toBe(false)
  expect(isRedisOutage(new TypeError('x is not a function'))).toBe(false)
  for (const thrown of [undefined, null, 'Connection is closed.']) expect(isRedisOutage(thrown)).toBe(false)
})
