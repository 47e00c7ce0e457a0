// npm run migrate: migrates the databases at DATABASE_URL and QUEUE_DATABASE_URL to this version.
import { type Migrated, migrate } from '../src/sql/database/migrate.ts'
import { Unfit } from '../src/unfit.ts'

const { DATABASE_URL, QUEUE_DATABASE_URL } = process.env
const databases = new Map<string, string>()
if (DATABASE_URL) databases.set(DATABASE_URL, 'DATABASE_URL')
if (QUEUE_DATABASE_URL && QUEUE_DATABASE_URL !== DATABASE_URL)
  databases.set(QUEUE_DATABASE_URL, 'QUEUE_DATABASE_URL')

if (!DATABASE_URL) {
  process.stderr.write('DATABASE_URL is missing: set it to postgresql://user:password@host/name\n')
  process.exitCode = 1
} else {
  for (const [url, name] of databases) {
    try {
      process.stdout.write(`${name}: ${summary(await migrate(url))}\n`)
    } catch (error) {
      const { message } = error as Error
      process.stderr.write(error instanceof Unfit ? `${name} ${message}.\n` : `${name}: ${message}\n`)
      process.exitCode = 1
      break
    }
  }
}

function summary({ migrations, functions }: Migrated): string {
  if (migrations.length + functions.length === 0) return 'is up to date, nothing was changed.'
  const parts = [
    migrations.length > 0 && `migrations applied: ${migrations.join(', ')}`,
    functions.length > 0 && `functions re-created: ${functions.join(', ')}`,
  ]
  return `${parts.filter(Boolean).join('; ')}.`
}
