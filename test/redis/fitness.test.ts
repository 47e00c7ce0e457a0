import { expect, test } from 'vitest'
import { freePort } from '../../embedded/processes.ts'
import { connectForWaiting } from '../../src/redis/connect.ts'
import { requireFitRedisAt } from '../../src/redis/fitness.ts'
import { testRedis } from '../support/redis.ts'

const redis = await testRedis()

async function configure(url: string, ...setting: [string, string]) {
  const connection = connectForWaiting(url)
  await connection.config('SET', ...setting)
  connection.disconnect()
}

test('the Redis that npm start runs is fit', async () => {
  await requireFitRedisAt(redis.url)
})

test('a Redis that may drop keys is refused with its policy', async () => {
  await configure(redis.url, 'maxmemory-policy', 'allkeys-lru')
  await expect(requireFitRedisAt(redis.url)).rejects.toThrow(
    'evicts keys when memory runs out (maxmemory-policy is allkeys-lru): set it to noeviction',
  )
  await configure(redis.url, 'maxmemory-policy', 'noeviction')
})

test('a Redis Cluster is refused with a sentence', async () => {
  const cluster = await testRedis({ 'cluster-enabled': 'yes' })
  await expect(requireFitRedisAt(cluster.url)).rejects.toThrow(
    /^is a Redis Cluster, which Fairgate does not support/,
  )
})

test('a missing or wrong password is named, without its value', async () => {
  const { url } = await testRedis()
  await configure(url, 'requirepass', 'planted-right')
  await expect(requireFitRedisAt(url)).rejects.toThrow(/^refuses the user or the password$/)
  const wrong = new URL(url)
  wrong.password = 'planted-wrong'
  await expect(requireFitRedisAt(wrong.href)).rejects.toThrow(/^refuses the user or the password$/)
})

test('a Redis that is away is reported at once, and is not called unfit', async () => {
  await expect(requireFitRedisAt(`redis://127.0.0.1:${await freePort()}`)).rejects.toThrow(/ECONNREFUSED/)
})
