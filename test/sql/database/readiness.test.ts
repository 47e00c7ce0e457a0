import { expect, test } from 'vitest'
import type { App } from '../../../src/app.ts'
import { readReadiness } from '../../../src/server/http/routes/health.ts'
import { checkVersion } from '../../../src/sql/database/readiness.ts'
import { testDatabase } from '../../support/database.ts'

const db = await testDatabase()
const roomDb = await testDatabase()

const redis = { info: async () => 'redis_version:7.2.4\r\nmaxmemory_policy:noeviction\r\n' }
const app = { db, roomDb, redis, roomRedis: redis } as unknown as App
const readiness = () => readReadiness(app, false)

test('a database of this version is ready', async () => {
  await checkVersion(db)
  expect((await readiness()).ready).toBe(true)
})

test.each([
  ['booking’s', db, 'migrations'],
  ['the waiting room’s', roomDb, 'queueMigrations'],
])(
  '%s database is ready with a newer version’s function, and not ready without that function',
  async (_, database, part) => {
    const comment = (text: string) => database.sql(`comment on function places_lock is '${text}'`)
    const [before] = await database.sql(
      `select obj_description('places_lock'::regproc, 'pg_proc') as comment`,
    )
    await comment('fairgate places_lock.sql of-a-newer-version')
    expect((await readiness()).ready).toBe(true)
    await comment(before?.comment)
    await database.sql('alter function places_lock set schema information_schema')
    await expect(checkVersion(database)).rejects.toThrow(/lacks functions/)
    expect(await readiness()).toMatchObject({ ready: false, parts: { [part]: 'is of another version' } })
    await database.sql('alter function information_schema.places_lock set schema public')
    expect((await readiness()).ready).toBe(true)
  },
)

test('the waiting room’s database is not ready without a migration of this version', async () => {
  await roomDb.sql('update _prisma_migrations set rolled_back_at = now()')
  await expect(checkVersion(roomDb)).rejects.toThrow(/lacks migrations/)
  expect(await readiness()).toMatchObject({
    ready: false,
    parts: { queueMigrations: 'is of another version' },
  })
  await roomDb.sql('update _prisma_migrations set rolled_back_at = null')
})

test('a process without the waiting room’s stores is degraded and ready; without booking’s stores it is not ready', async () => {
  const away = { ...roomDb, pool: { query: () => Promise.reject(new Error('connect ECONNREFUSED')) } }
  const silent = { info: () => Promise.reject(new Error('Connection is closed.')) }
  expect(await readReadiness({ ...app, roomDb: away, roomRedis: silent } as unknown as App, false)).toEqual({
    ready: true,
    parts: {
      database: 'ok',
      migrations: 'ok',
      redis: 'ok',
      queueDatabase: 'degraded: fails',
      queueMigrations: 'degraded: fails',
      queueRedis: 'degraded: fails',
    },
  })
  expect(await readReadiness({ ...app, db: away } as unknown as App, false)).toMatchObject({
    ready: false,
    parts: { database: 'fails', migrations: 'fails', queueDatabase: 'ok' },
  })
})

test('an unfit database is not ready, and /readyz says why in a sentence', async () => {
  // Of this database alone: the other connections of the run keep the right setting.
  const name = new URL(roomDb.url).pathname.slice(1)
  await roomDb.sql(`alter database ${name} set bytea_output = 'escape'`)
  try {
    const unfit = roomDb.another()
    expect(await readReadiness({ ...app, roomDb: unfit } as unknown as App, false)).toMatchObject({
      ready: false,
      parts: { database: 'ok', queueDatabase: 'needs bytea_output hex, not escape' },
    })
  } finally {
    await roomDb.sql(`alter database ${name} reset bytea_output`)
  }
})

test('an unfit Redis is reported and leaves the process ready: every process has the same one', async () => {
  const evicting = { info: async () => 'redis_version:7.2.4\r\nmaxmemory_policy:allkeys-lru\r\n' }
  expect(await readReadiness({ ...app, redis: evicting } as unknown as App, false)).toMatchObject({
    ready: true,
    parts: { redis: expect.stringMatching(/^degraded: evicts keys/), queueRedis: 'ok' },
  })
})
