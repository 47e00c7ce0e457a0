import { expect, test } from 'vitest'
import { functionFiles } from '../../src/sql/database/migrate.ts'
import { differenceFromSchema } from '../../src/sql/database/schemaEngine.ts'
import { testDatabase } from '../support/database.ts'

const database = await testDatabase()

test('the migrations lead to prisma/schema.prisma', async () => {
  expect(await differenceFromSchema(database.url)).toBeNull()
})

test('a difference between tables and schema is seen', async () => {
  const { url, sql } = database
  await sql('alter table events add column forgotten text')
  expect(await differenceFromSchema(url)).toContain('DROP COLUMN "forgotten"')
  await sql('alter table events drop column forgotten')
  expect(await differenceFromSchema(url)).toBeNull()
})

test('the functions are those of prisma/functions, one a file and of its name', async () => {
  // A function that an index, a trigger or a generated column uses, or such a function, belongs to its migration.
  const functions = await database.sql(
    `select proname as name, split_part(obj_description(oid, 'pg_proc'), ' ', 2) as file,
       split_part(obj_description(oid, 'pg_proc'), ' ', 4) = md5(pg_get_functiondef(oid)) as "isAsMade"
     from pg_proc
     where pronamespace = 'public'::regnamespace and not exists (
       select from pg_depend where refobjid = pg_proc.oid and classid in (
         'pg_class'::regclass, 'pg_trigger'::regclass, 'pg_proc'::regclass, 'pg_attrdef'::regclass)
     )
     order by name`,
  )
  expect(functions.map(({ file }) => file)).toEqual([...(await functionFiles()).keys()])
  expect(functions.map(({ name }) => `${name}.sql`)).toEqual(functions.map(({ file }) => file))
  expect(functions.filter(({ isAsMade }) => !isAsMade)).toEqual([])
})
