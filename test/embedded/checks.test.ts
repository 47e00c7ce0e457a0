import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { prepareDatabase, requirePort, requireRedis } from '../../embedded/checks.ts'
import { freePort } from '../../embedded/processes.ts'
import { connectForWaiting } from '../../src/redis/connect.ts'
import { testDatabase } from '../support/database.ts'
import { testRedis } from '../support/redis.ts'

const database = await testDatabase()
const redis = await testRedis()

test('a port that is in use is reported together with another one to choose', async () => {
  const port = await freePort()
  await requirePort('127.0.0.1', port)
  const taken = createServer().listen(port, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  await expect(requirePort('127.0.0.1', port)).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is not available: another program listens there.`,
  )
  await new Promise((resolve) => taken.close(resolve))
})

test('a Redis that may evict keys is refused, and one that never evicts is accepted', async () => {
  await requireRedis('REDIS_URL', redis.url)
  const connection = connectForWaiting(redis.url)
  await connection.config('SET', 'maxmemory-policy', 'allkeys-lru')
  connection.disconnect()
  await expect(requireRedis('REDIS_URL', redis.url)).rejects.toThrow(
    /The Redis of REDIS_URL cannot be used: .*maxmemory-policy is allkeys-lru.*noeviction/,
  )
})

test('a Redis that does not answer is reported within seconds', async () => {
  await expect(requireRedis('REDIS_URL', `redis://127.0.0.1:${await freePort()}`)).rejects.toThrow(
    /The Redis of REDIS_URL cannot be used: it cannot be reached \(.*ECONNREFUSED/,
  )
})

test('a database that does not answer or does not exist is reported with its variable', async () => {
  const nowhere = `postgresql://fairgate@127.0.0.1:${await freePort()}/fairgate`
  await expect(prepareDatabase('DATABASE_URL', nowhere)).rejects.toThrow(
    /The database of DATABASE_URL cannot be used: .*ECONNREFUSED/,
  )
  const missing = new URL(database.url)
  missing.pathname = '/not_there'
  await expect(prepareDatabase('QUEUE_DATABASE_URL', missing.href)).rejects.toThrow(
    /The database of QUEUE_DATABASE_URL cannot be used: database "not_there" does not exist/,
  )
})

test('a database that a newer version wrote is refused', async () => {
  await database.sql(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
     values ('x', 'x', '20990101000000_of_the_future', now(), now(), 1)`,
  )
  await expect(prepareDatabase('DATABASE_URL', database.url)).rejects.toThrow(/newer version of Fairgate/)
})
