// npm run migration -- <name>: writes the migration from the committed state to prisma/schema.prisma.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../embedded/postgres.ts'
import { migrate } from '../src/sql/database/migrate.ts'
import { differenceFromSchema } from '../src/sql/database/schemaEngine.ts'

const name = process.argv[2] ?? ''
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write(
    'Give the migration a name in lower case with underscores: npm run migration -- add_notes\n',
  )
  process.exit(1)
}
const sql = await difference()
if (sql === null) {
  process.stdout.write('The migrations already match prisma/schema.prisma: nothing to write.\n')
} else {
  const moment = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const folder = fileURLToPath(new URL(`../prisma/migrations/${moment}_${name}/`, import.meta.url))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'migration.sql'), sql)
  process.stdout.write(
    `${sql}\nWritten to ${folder}migration.sql. Add by hand what Prisma cannot express: checks, partial indexes, fill factors.\n`,
  )
}

async function difference(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'fairgate-migration-'))
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), settings: { fsync: 'off' } })
  try {
    await migrate(postgres.url)
    return await differenceFromSchema(postgres.url)
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
