import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { BadConfiguration } from '../../env.ts'
import { requireFitRedisAt } from '../../redis/fitness.ts'
import { requireFitDatabase } from '../../sql/database/fitness.ts'
import { Unfit } from '../../unfit.ts'

const PATIENCE_MS = 5_000

/**
 * Throws BadConfiguration with a line for each store that works and with which Fairgate cannot work. A store that does not answer
 * within five seconds is logged: the process starts, and `/readyz` reports that store.
 */
export async function requireFit({
  env,
  db,
  roomDb,
  log,
}: Pick<App, 'env' | 'db' | 'roomDb' | 'log'>): Promise<void> {
  const checks: Record<string, () => Promise<void>> = {
    DATABASE_URL: () => requireFitDatabase(db),
    REDIS_URL: () => requireFitRedisAt(env.redisUrl),
  }
  if (roomDb !== db) checks.QUEUE_DATABASE_URL = () => requireFitDatabase(roomDb)
  if (env.roomRedisUrl !== env.redisUrl) checks.QUEUE_REDIS_URL = () => requireFitRedisAt(env.roomRedisUrl)
  const faults = await Promise.all(
    Object.entries(checks).map(async ([variable, check]) => {
      try {
        await Promise.race([check(), late()])
        return []
      } catch (error) {
        if (error instanceof Unfit) return [`${variable} ${error.message}.`]
        log.warn({ err: error, variable }, 'a store does not answer: the process starts without it')
        return []
      }
    }),
  )
  if (faults.flat().length > 0) throw new BadConfiguration(faults.flat())
  if (db.pooler.isPooled) log.info('a pooler is in front of the database: no statement is prepared')
}

async function late(): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false })
  throw new Error(`no answer within ${PATIENCE_MS / 1_000} s`)
}
