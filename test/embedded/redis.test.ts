import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Server } from '../../embedded/postgres.ts'
import { isAlive } from '../../embedded/processes.ts'
import { startRedis } from '../../embedded/redis.ts'
import { connectForWaiting } from '../../src/redis/connect.ts'
import { temporaryFolder } from '../support/folder.ts'
import { endWithThisProcess } from '../support/watchdog.ts'

const folder = join(temporaryFolder('redis'), 'a folder with blanks')
let server: Server
let dismiss = () => {}

async function start(): Promise<Server> {
  dismiss()
  server = await startRedis({ folder })
  dismiss = endWithThisProcess(server.pid, folder)
  return server
}

async function command(...args: [string, ...string[]]): Promise<unknown> {
  const redis = connectForWaiting(server.url)
  try {
    return await redis.call(...args)
  } finally {
    redis.disconnect()
  }
}

beforeAll(start)
afterAll(async () => {
  dismiss()
  await server.stop()
})

test('Redis never evicts keys and writes every command to its append-only file', async () => {
  expect(await command('CONFIG', 'GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction'])
  expect(await command('CONFIG', 'GET', 'appendonly')).toEqual(['appendonly', 'yes'])
})

test('data survives a clean stop', async () => {
  await command('SET', 'kept', 'yes')
  await server.stop()
  expect(isAlive(server.pid)).toBe(false)
  await start()
  expect(await command('GET', 'kept')).toBe('yes')
})

test('a server that a killed parent left behind is stopped first, and its data is kept', async () => {
  const left = server
  await command('SET', 'left', 'behind')
  await start()
  expect(isAlive(left.pid)).toBe(false)
  expect(await command('GET', 'left')).toBe('behind')
})

test('without a Redis that can be installed, an error says what to do', async () => {
  const path = process.env.PATH
  process.env.PATH = ''
  try {
    await expect(startRedis({ folder: `${folder}-2` })).rejects.toThrow(/Redis is not installed.*REDIS_URL/s)
  } finally {
    process.env.PATH = path
  }
})
