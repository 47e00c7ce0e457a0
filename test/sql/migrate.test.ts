import { expect, test } from 'vitest'
import { migrate } from '../../src/sql/migrate.ts'
import { testDatabase } from '../support/database.ts'

const database = await testDatabase()

test('a migrated database is left as it is', async () => {
  const before = await database.sql('select * from _prisma_migrations')
  await migrate(database.url)
  expect(await database.sql('select * from _prisma_migrations')).toEqual(before)
})
