import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectForWaiting } from '../src/redis/connect.ts'
import { requireFitRedis } from '../src/redis/fitness.ts'
import { MigrationRefused, migrate } from '../src/sql/database/migrate.ts'
import { StartFailed } from '../src/startFailed.ts'
import { Unfit } from '../src/unfit.ts'

/** Checks that a server can listen on the address. Throws StartFailed. */
export async function requirePort(host: string, port: number): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'EADDRINUSE'
        ? 'another program listens there'
        : code === 'EACCES'
          ? 'this user may not listen there'
          : String(code)
    throw new StartFailed(
      `Port ${port} of ${host} is not available: ${why}. Stop that program, or choose another port: PORT=${port + 1} npm start`,
    )
  }
  await new Promise((resolve) => server.close(resolve))
}

/** Checks that the Redis of a variable answers and is fit. Throws StartFailed. */
export async function requireRedis(variable: string, url: string): Promise<void> {
  let last = 'no answer'
  const redis = connectForWaiting(url, {
    onError: (error) => {
      last = error.message
    },
  })
  try {
    const answered = requireFitRedis(redis).then(() => true)
    if (!(await Promise.race([answered, sleep(5_000, false, { ref: false })]))) {
      throw new Error(`it cannot be reached (${last})`)
    }
  } catch (error) {
    throw new StartFailed(`The Redis of ${variable} cannot be used: ${reasonOf(error)}`)
  } finally {
    redis.disconnect()
  }
}

/** Migrates the database of a variable. Throws StartFailed if it cannot be reached, and MigrationRefused. */
export async function prepareDatabase(variable: string, url: string): Promise<void> {
  try {
    await migrate(url)
  } catch (error) {
    if (error instanceof MigrationRefused) throw error
    throw new StartFailed(`The database of ${variable} cannot be used: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return error instanceof Unfit ? `it ${message}` : message || String(code)
}
