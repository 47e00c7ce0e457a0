import { expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { readReadiness } from '../../src/server/health.ts'
import { checkVersion } from '../../src/sql/readiness.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase()
const queueDb = await testDatabase()

const redis = { ping: async () => 'PONG' }
const app = { db, queueDb, redis, queueRedis: redis } as unknown as App
const migrations = async () => (await readReadiness(app, false)).parts.migrations

test('a database of this version is ready', async () => {
  await checkVersion(db)
  expect(await migrations()).toBe('ok')
})

test.each([
  ['booking’s', db],
  ['the waiting room’s', queueDb],
])('%s database is ready with a newer version’s function, and not without one', async (_name, database) => {
  const comment = (text: string) => database.sql(`comment on function places_lock is '${text}'`)
  const [before] = await database.sql(`select obj_description('places_lock'::regproc, 'pg_proc') as comment`)
  await comment('fairgate places_lock.sql of-a-newer-version')
  expect(await migrations()).toBe('ok')
  await comment(before?.comment)
  await database.sql('alter function places_lock set schema information_schema')
  await expect(checkVersion(database)).rejects.toThrow(/lacks functions/)
  expect(await migrations()).toBe('fails')
  await database.sql('alter function information_schema.places_lock set schema public')
  expect(await migrations()).toBe('ok')
})

test('the waiting room’s database is not ready without a migration of this version', async () => {
  await queueDb.sql('update _prisma_migrations set rolled_back_at = now()')
  await expect(checkVersion(queueDb)).rejects.toThrow(/lacks migrations/)
  expect(await migrations()).toBe('fails')
  await queueDb.sql('update _prisma_migrations set rolled_back_at = null')
})
