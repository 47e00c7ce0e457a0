import type { App } from '../app.ts'
import { checkVersion, ping } from '../sql/readiness.ts'

export interface Readiness {
  readonly ready: boolean
  /** `ok`, or what is wrong, by part; what is wrong with a part that this process can do without begins with `degraded`. */
  readonly parts: Readonly<Record<string, string>>
}

const PATIENCE_MS = 2_000

/**
 * Parts that are told and do not decide. DESIGN counts Redis among what makes a process ready; but it also has holds and
 * checkout go on without it, and every process misses it at the same moment: a load balancer that took them all out would
 * stop the sale for those inside, who need nothing of it.
 */
const DISPENSABLE: ReadonlySet<string> = new Set(['redis', 'queueRedis'])
const DEGRADED = 'degraded: '

/** Whether this process can serve: databases of this version, unless it is draining; Redis is told of. */
export async function readReadiness(app: App, isDraining: boolean): Promise<Readiness> {
  const parts = Object.fromEntries(
    await Promise.all(
      Object.entries({
        database: () => ping(app.db),
        migrations: () => Promise.all([...new Set([app.db, app.queueDb])].map(checkVersion)),
        redis: () => app.redis.ping(),
        queueDatabase: () => ping(app.queueDb),
        queueRedis: () => app.queueRedis.ping(),
      }).map(async ([name, check]) => {
        const part = await told(check)
        return [name, part !== 'ok' && DISPENSABLE.has(name) ? DEGRADED + part : part] as const
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
    () => 'fails',
  )
  const result = await Promise.race([answer, late])
  clearTimeout(timer)
  return result
}
