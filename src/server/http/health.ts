import type { App } from '../../app.ts'
import { keptRead } from '../../async/singleFlight.ts'
import { checkVersion, ping, WrongVersion } from '../../sql/readiness.ts'

export interface Readiness {
  readonly ready: boolean
  /** The state of each part: `ok` or a failure. A failure that leaves the process ready begins with `degraded`. */
  readonly parts: Readonly<Record<string, string>>
}

const PATIENCE_MS = 2_000
const WRONG_VERSION = 'is of another version'

/**
 * Parts whose outage is reported but leaves the process ready. DESIGN names Redis among the conditions of readiness; it also
 * says that holds and checkout work without Redis and without the waiting room's database. All processes lose these parts
 * at the same moment: a load balancer that removed all of them would stop the sale for the fans inside.
 */
const DISPENSABLE: ReadonlySet<string> = new Set(['redis', 'queueRedis', 'queueDatabase', 'queueMigrations'])
const DEGRADED = 'degraded: '

/**
 * Returns whether this process can serve: the booking database answers, no database has another version, and the process
 * is not draining. Also returns the state of Redis and of the waiting room's database.
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
        const part = await stateOf(check)
        const isAway = part !== 'ok' && part !== WRONG_VERSION
        return [name, isAway && DISPENSABLE.has(name) ? DEGRADED + part : part] as const
      }),
    ),
  )
  if (isDraining) parts.process = 'draining'
  const ready = Object.values(parts).every((part) => part === 'ok' || part.startsWith(DEGRADED))
  return { ready, parts }
}

/** One check of the parts serves all requests of this time, so that a flood of requests does not reach the stores. */
const SHARED_MS = 500

/** The same, shared by all requests. */
export function createReadiness(app: App): (isDraining: boolean) => Promise<Readiness> {
  const check = keptRead(SHARED_MS, () => readReadiness(app, false))
  return async (isDraining) => {
    const found = await check()
    return isDraining ? { ready: false, parts: { ...found.parts, process: 'draining' } } : found
  }
}

/** Returns no reason: the text of an error may name hosts and users. */
async function stateOf(check: () => Promise<unknown>): Promise<string> {
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
