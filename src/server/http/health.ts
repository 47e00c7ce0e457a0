import type { App } from '../../app.ts'
import { checkVersion, ping, WrongVersion } from '../../sql/readiness.ts'

export interface Readiness {
  readonly ready: boolean
  /** `ok`, or what is wrong, by part; what is wrong with a part that this process can do without begins with `degraded`. */
  readonly parts: Readonly<Record<string, string>>
}

const PATIENCE_MS = 2_000
const WRONG_VERSION = 'is of another version'

/**
 * Parts that are told and do not decide while they are away. DESIGN counts Redis among what makes a process ready; but it
 * also has holds and checkout go on without it, and without the waiting room's database; and every process misses them at
 * the same moment: a load balancer that took them all out would stop the sale for those inside, who need nothing of them.
 */
const DISPENSABLE: ReadonlySet<string> = new Set(['redis', 'queueRedis', 'queueDatabase', 'queueMigrations'])
const DEGRADED = 'degraded: '

/**
 * Whether this process can serve: booking's database is there, no database is of another version, and it is not draining.
 * Of Redis and of the waiting room's own database it tells.
 */
export async function readReadiness(app: App, isDraining: boolean): Promise<Readiness> {
  const parts = Object.fromEntries(
    await Promise.all(
      Object.entries({
        database: () => ping(app.db),
        migrations: () => checkVersion(app.db),
        redis: () => app.redis.ping(),
        queueDatabase: () => ping(app.roomDb),
        queueMigrations: () => checkVersion(app.roomDb),
        queueRedis: () => app.roomRedis.ping(),
      }).map(async ([name, check]) => {
        const part = await told(check)
        const isAway = part !== 'ok' && part !== WRONG_VERSION
        return [name, isAway && DISPENSABLE.has(name) ? DEGRADED + part : part] as const
      }),
    ),
  )
  if (isDraining) parts.process = 'draining'
  const ready = Object.values(parts).every((part) => part === 'ok' || part.startsWith(DEGRADED))
  return { ready, parts }
}

/** Never why: an error's words may name hosts and users. */
async function told(check: () => Promise<unknown>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'does not answer')
  })
  const answer = check().then(
    () => 'ok',
    (error) => (error instanceof WrongVersion ? WRONG_VERSION : 'fails'),
  )
  const result = await Promise.race([answer, late])
  clearTimeout(timer)
  return result
}
