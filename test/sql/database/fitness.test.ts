import { expect, test } from 'vitest'
import { createDatabase } from '../../../src/sql/database/database.ts'
import { requireFitDatabase, requireFitSettings } from '../../../src/sql/database/fitness.ts'
import { isDatabaseOutage } from '../../../src/sql/database/outage.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { testDatabase } from '../../support/database.ts'

const db = await testDatabase()

function at(change: (address: URL) => void) {
  const address = new URL(db.url)
  change(address)
  const database = createDatabase(address.href, { connections: 2 })
  cleanUp(() => database.close())
  return database
}

const withOptions = (options: string) => at((address) => address.searchParams.set('options', options))

test('the PostgreSQL that npm start runs is fit', async () => {
  await requireFitDatabase(db)
})

test.each([
  ['170010', '17.10 (Debian 17.10-1.pgdg13+1)', 'needs PostgreSQL 18, this is 17.10'],
  ['150018', '15.18', 'needs PostgreSQL 18, this is 15.18'],
])('a PostgreSQL of version %s is refused with its version', (server_version_num, server_version, reason) => {
  expect(() => requireFitSettings({ server_version_num, server_version })).toThrow(reason)
})

test('options in the address are kept, and times are in UTC all the same', async () => {
  const database = withOptions('-c timezone=Asia/Tokyo -c statement_timeout=12345')
  await requireFitDatabase(database)
  const { rows } = await database.pool.query(
    `select current_setting('TimeZone') as zone, current_setting('statement_timeout') as timeout,
       '2027-03-01 12:00+00'::timestamptz as at`,
  )
  expect(rows[0]).toMatchObject({ zone: 'UTC', timeout: '12345ms', at: new Date('2027-03-01T12:00:00Z') })
})

test.each([
  ['-c datestyle=German', 'needs DateStyle ISO, not German, DMY'],
  [
    '-c default_transaction_isolation=serializable',
    /default_transaction_isolation read committed, not serializable/,
  ],
  ['-c synchronous_commit=off', 'needs synchronous_commit on, not off'],
  ['-c bytea_output=escape', 'needs bytea_output hex, not escape'],
])('a session with %s is refused with a sentence', async (options, reason) => {
  await expect(requireFitDatabase(withOptions(options))).rejects.toThrow(reason)
})

test('a wrong password, an unknown user and an unknown database are named, without their values', async () => {
  const wrong = at((address) => {
    address.password = 'planted-password'
  })
  await expect(requireFitDatabase(wrong)).rejects.toThrow(/^refuses the user or the password$/)
  const unknown = at((address) => {
    address.pathname = '/planted_name'
  })
  await expect(requireFitDatabase(unknown)).rejects.toThrow(/^has no database of that name$/)
})

test('a full disk counts as an outage, in every way in which a statement runs', async () => {
  const full = `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`
  const ways = {
    pool: () => db.pool.query(full),
    prisma: () => db.prisma.$executeRawUnsafe(full),
    transaction: () => db.prisma.$transaction([db.prisma.$executeRawUnsafe(full)]),
  }
  for (const [way, run] of Object.entries(ways)) {
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(isDatabaseOutage(error), way).toBe(true)
  }
})
