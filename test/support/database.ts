import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createDatabase, type Database, type DatabaseOptions } from '../../src/sql/database/database.ts'
import { cleanUp } from './cleanUp.ts'

export interface TestDatabase extends Database {
  readonly url: string
  /** Returns the rows of a statement: `sql('select … where id = $1', [id])`. */
  sql<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** Opens a second pool on the same database, as another process does. It is closed with the first. */
  another(options?: DatabaseOptions): Database
}

/**
 * Creates a migrated database for the test file, or for the test that calls it, and drops it afterwards.
 */
export async function testDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin((admin) => admin.query(`create database ${name} template template_fairgate`))
  const address = new URL(inject('postgresUrl'))
  address.pathname = `/${name}`
  const url = address.href
  // As many shared connections as several servers have, so that holds race.
  const open = (more: DatabaseOptions) =>
    createDatabase(url, { pipelines: (more.connections ?? 20) / 2, ...more })
  const first = open(options)
  const pools = [first]

  cleanUp(async () => {
    await Promise.all(pools.map((database) => database.close()))
    await asAdmin((admin) => admin.query(`drop database ${name} with (force)`))
  })
  return {
    ...first,
    url,
    async sql(text, values) {
      return (await first.pool.query(text, values as unknown[])).rows
    },
    another(more = options) {
      const database = open(more)
      pools.push(database)
      return database
    },
  }
}

async function asAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}
