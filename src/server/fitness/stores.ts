import { connectForWaiting } from '../../redis/connect.ts'
import { requireFitRedisAt } from '../../redis/fitness.ts'
import { createDatabase } from '../../sql/database/database.ts'
import { readServerFacts, requireFitDatabase } from '../../sql/database/fitness.ts'
import { checkVersion, WrongVersion } from '../../sql/database/readiness.ts'
import { Unfit } from '../../unfit.ts'

/** Examines the database at an address. Throws where it cannot be used. */
export async function examineDatabase(url: string, connections: number) {
  const db = createDatabase(url, { connections: 2 })
  try {
    await requireFitDatabase(db)
    const facts = await readServerFacts(db)
    if (facts.isStandby) throw new Unfit('is a standby, which takes no changes')
    if (!facts.ownsTables) throw new Unfit('has tables that its user does not own')
    await checkVersion(db).catch((error) => {
      const lacksAll = (error as { code?: string }).code === '42P01'
      if (error instanceof WrongVersion || lacksAll)
        throw new Unfit('is not of this version: run "npm run migrate"')
      throw error
    })
    const { isPooled } = db.pooler
    return {
      ok: `PostgreSQL ${facts.version}${isPooled ? ', behind a pooler' : ''}`,
      warnings: [
        !facts.isDurable && 'fsync or full_page_writes is off: a crash of its machine takes back sold seats',
        isPooled === false &&
          facts.maxConnections < connections &&
          `takes ${facts.maxConnections} connections, and DATABASE_POOL of one process is ${connections}`,
      ],
    }
  } finally {
    await db.close()
  }
}

/** Examines the Redis at an address. Throws where it cannot be used. */
export async function examineRedis(url: string) {
  await requireFitRedisAt(url)
  const redis = connectForWaiting(url)
  try {
    const info = await redis.info()
    if (/^role:slave/m.test(info)) throw new Unfit('is a replica, which takes no changes')
    return { ok: `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1]}` }
  } finally {
    redis.disconnect()
  }
}
