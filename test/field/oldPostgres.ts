// node test/field/oldPostgres.ts ADDRESS: checks that a PostgreSQL older than 18 is refused by its version, by `npm run migrate` and by
// the doctor. Needs the address of an empty database of such a server, for example of Debian 12 (PostgreSQL 15).
import { strict as assert } from 'node:assert'
import { examine } from '../../src/server/fitness/doctor.ts'
import { migrate } from '../../src/sql/database/migrate.ts'

const [address] = process.argv.slice(2)
assert(address, 'give the address of a database')

const refusal = /^needs PostgreSQL 18, this is \d+\.\d+$/
await assert.rejects(migrate(address), ({ message }: Error) => {
  process.stdout.write(`migrate: ${message}\n`)
  return refusal.test(message)
})
const found = (await examine({ DATABASE_URL: address })).find(({ part }) => part === 'DATABASE_URL')
process.stdout.write(`doctor: ${found?.text}\n`)
assert.equal(found?.state, 'unfit')
assert.match(found.text, refusal)
