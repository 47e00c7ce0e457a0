import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
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

test('a Redis that is gone, refuses or does not answer is one outage, whatever says so', async () => {
  const connection = connectForCommands(redis.url, { onError: () => {} })
  await expect.poll(() => connection.status).toBe('ready')
  await redis.kill()
  const gone = await errorOf(connection.ping())
  expect(isRedisOutage(gone), String(gone)).toBe(true)
  connection.disconnect()
  expect(isRedisOutage(await errorOf(connection.ping()))).toBe(true)

  const silent = createServer(() => {}).listen(0, '127.0.0.1')
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

test('what Redis says of a command, and what others say, is no outage', () => {
  for (const message of ['WRONGTYPE Operation against a key', 'ERR unknown command', 'NOSCRIPT'])
    expect(isRedisOutage(new ReplyError(message))).toBe(false)
  expect(isRedisOutage(new TypeError('x is not a function'))).toBe(false)
  for (const thrown of [undefined, null, 'Connection is closed.']) expect(isRedisOutage(thrown)).toBe(false)
})
