import type { App } from '../app.ts'
import { checkVersion, ping } from '../sql/readiness.ts'

export interface Readiness {
  readonly ready: boolean
  /** `ok`, or what is wrong, by part. */
  readonly parts: Readonly<Record<string, string>>
}

const PATIENCE_MS = 2_000

/** Whether this process can serve: databases of this version and Redis, unless it is draining. */
export async function readReadiness(app: App, isDraining: boolean): Promise<Readiness> {
  const parts = Object.fromEntries(
    await Promise.all(
      Object.entries({
        database: () => ping(app.db),
        migrations: () => Promise.all([...new Set([app.db, app.queueDb])].map(checkVersion)),
        redis: () => app.redis.ping(),
        queueDatabase: () => ping(app.queueDb),
        queueRedis: () => app.queueRedis.ping(),
      }).map(async ([name, check]) => [name, await told(check)] as const),
    ),
  )
  if (isDraining) parts.process = 'draining'
  return { ready: Object.values(parts).every((part) => part === 'ok'), parts }
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
