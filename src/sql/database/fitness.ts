import { Unfit } from '../../unfit.ts'
import type { Database } from './database.ts'
import { isDatabaseOutage } from './outage.ts'

const OLDEST = 18

/** Settings of a session, and the text of those with which Fairgate works. */
const NEEDED: Readonly<Record<string, { fits: RegExp; needs: string }>> = {
  // Times without a zone would be hours off.
  TimeZone: { fits: /^(UTC|Etc\/UTC)$/i, needs: 'UTC' },
  DateStyle: { fits: /^ISO\b/, needs: 'ISO' },
  client_encoding: { fits: /^UTF8$/, needs: 'UTF8' },
  server_encoding: { fits: /^UTF8$/, needs: 'UTF8' },
  bytea_output: { fits: /^hex$/, needs: 'hex' },
  standard_conforming_strings: { fits: /^on$/, needs: 'on' },
  // The functions take a new snapshot for each statement.
  default_transaction_isolation: { fits: /^read committed$/, needs: 'read committed' },
  // A crash of its machine would take back sold seats.
  synchronous_commit: { fits: /^(?!off$)/, needs: 'on' },
}

/** The settings as a session reads them. */
const READ_SETTINGS = `select name, setting from pg_settings where name = any ($1)`
const SETTINGS_READ = ['server_version', 'server_version_num', ...Object.keys(NEEDED)]

/** Throws Unfit for settings, by their names, with which Fairgate cannot work. */
export function requireFitSettings(settings: Readonly<Record<string, string>>): void {
  if (Number(settings.server_version_num) < OLDEST * 10_000) {
    const [version] = (settings.server_version ?? '').split(' ')
    throw new Unfit(`needs PostgreSQL ${OLDEST}, this is ${version}`)
  }
  const wrong = Object.entries(NEEDED).filter(([name, { fits }]) => !fits.test(settings[name] ?? ''))
  if (wrong.length > 0) {
    const each = wrong.map(([name, { needs }]) => `${name} ${needs}, not ${settings[name]}`)
    throw new Unfit(`needs ${each.join(', and ')}`)
  }
}

type Queryable = {
  query(text: string, values: unknown[]): Promise<{ rows: { name: string; setting: string }[] }>
}

/**
 * Throws Unfit where the database is of an old version, or its sessions have settings with which times, texts or commits would be
 * wrong; throws another error where it does not answer.
 */
export async function requireFitDatabase({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await requireFitSession(pool)
}

/** The same of one session. */
export async function requireFitSession(session: Queryable): Promise<void> {
  try {
    const { rows } = await session.query(READ_SETTINGS, [SETTINGS_READ])
    requireFitSettings(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])))
  } catch (error) {
    throw refusalOfLogin(error) ?? error
  }
}

/** Undefined for another error than a login that PostgreSQL refuses for good. */
function refusalOfLogin(error: unknown): Unfit | undefined {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string' || isDatabaseOutage(error)) return undefined
  if (code.startsWith('28')) return new Unfit('refuses the user or the password')
  if (code === '3D000') return new Unfit('has no database of that name')
  return undefined
}

/** Facts of a server with which Fairgate works, and which ops should know. */
export interface ServerFacts {
  readonly version: string
  /** False: the server is set to lose commits if its machine crashes. */
  readonly isDurable: boolean
  readonly maxConnections: number
  readonly isStandby: boolean
  /** False: this role cannot run ANALYZE on tables of Fairgate. */
  readonly ownsTables: boolean
}

export async function readServerFacts({ pool }: Pick<Database, 'pool'>): Promise<ServerFacts> {
  const { rows } = await pool.query(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
       current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as "isDurable",
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         as "maxConnections",
       pg_is_in_recovery() as "isStandby",
       not exists (select from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
         and not pg_has_role(relowner, 'usage')) as "ownsTables"`,
  )
  return rows[0]
}
