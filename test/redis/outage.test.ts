import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ReplyError } from 'ioredis'
import { expect, test } from 'vitest'
import { connectForCommands } from '../../src/redis/connect.ts'
import { isRedisOutage } from '../../src/redis/outage.ts'
import { testRedis } from '../support/redis.ts'

const redis = await testRedis()

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

async function setImmediateTurns(turns: number) {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('a Redis that is gone, refuses or does not answer is one outage, whatever says so', async () => {
  const connection = connectForCommands(redis.url, { onError: () => {} })
  await expect.poll(() => connection.status).toBe('ready')
  await redis.kill()
  const gone = await errorOf(connection.ping())
  expect(isRedisOutage(gone), String(gone)).toBe(true)
  connection.disconnect()
  expect(isRedisOutage(await errorOf(connection.ping()))).toBe(true)

  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as AddressInfo
  const unanswered = connectForCommands(`redis://127.0.0.1:${port}`, { onError: () => {} })
  expect(isRedisOutage(await errorOf(unanswered.ping()))).toBe(true)
  unanswered.disconnect()
  silent.close()

  for (const message of ['LOADING Redis is loading', 'READONLY You can’t write', 'OOM command not allowed'])
    expect(isRedisOutage(new ReplyError(message))).toBe(true)
  // Several addresses of one host, none of which listens.
  expect(isRedisOutage(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(true)
})

test('a Redis that hangs is waited for once, whatever is asked of it, and asked again when it answers', async () => {
  await redis.restart('kept')
  const connection = connectForCommands(redis.url)
  await expect.poll(() => connection.status).toBe('ready')
  redis.hang()
  try {
    // All that are under way share one wait.
    const [one, other] = await Promise.all([connection.get('a'), connection.set('a', '1')].map(errorOf))
    for (const error of [one, other]) expect(String(error)).toBe('Error: Command timed out')

    // Everything else is answered while nothing was read of the connection.
    const failed: unknown[] = []
    const turns = setImmediateTurns(20)
    for (const ask of [
      () => connection.get('a'),
      () => connection.ping(),
      () => connection.eval('return 1', 0),
      () => connection.multi().set('a', '2').get('a').exec(),
    ])
      void errorOf(ask()).then((error) => failed.push(error))
    const piped = connection.pipeline().get('a').set('a', '2').exec()
    await turns
    expect(failed.map(isRedisOutage)).toEqual([true, true, true, true])
    expect((await piped)?.map(([error]) => isRedisOutage(error))).toEqual([true, true])
  } finally {
    redis.resume()
  }
  await expect.poll(() => connection.get('a').catch(() => 'fails')).toBe('1')
  expect(await connection.multi().set('a', '3').get('a').exec()).toEqual([
    [null, 'OK'],
    [null, '3'],
  ])
  connection.disconnect()
})

test('one that hangs while it is connected to is reached when it answers', async () => {
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
  await expect.poll(() => connection.ping().catch(() => 'fails'), { timeout: 10_000 }).toBe('PONG')
  connection.disconnect()
})

test('one that hangs and then dies is reached again when it is back', async () => {
  const connection = connectForCommands(redis.url)
  await expect.poll(() => connection.status).toBe('ready')
  redis.hang()
  expect(String(await errorOf(connection.ping()))).toBe('Error: Command timed out')
  await redis.restart('kept')
  await expect.poll(() => connection.ping().catch(() => 'fails'), { timeout: 10_000 }).toBe('PONG')
  connection.disconnect()
})

test('what Redis says of a command, and what others say, is no outage', () => {
  for (const message of ['WRONGTYPE Operation against a key', 'ERR unknown command', 'NOSCRIPT'])
    expect(isRedisOutage(new ReplyError(message))).toBe(false)
  expect(isRedisOutage(new TypeError('x is not a function'))).toBe(false)
  for (const thrown of [undefined, null, 'Connection is closed.']) expect(isRedisOutage(thrown)).toBe(false)
})
