import type { App } from '../../../app.ts'
import { keptRead } from '../../../async/singleFlight.ts'
import { requireFitRedis } from '../../../redis/fitness.ts'
import { requireFitDatabase } from '../../../sql/database/fitness.ts'
import { checkVersion, WrongVersion } from '../../../sql/database/readiness.ts'
import { Unfit } from '../../../unfit.ts'
import type { Identities } from '../../auth/identity.ts'

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
const DISPENSABLE: ReadonlySet<string> = new Set(['queueDatabase', 'queueMigrations'])
/**
 * Parts that never take a process out of service, whatever their fault. Ops can make a Redis unfit while it runs, by its setting; an
 * identity provider can fail at any time. Every process would be out at the same moment.
 */
const REPORTED: ReadonlySet<string> = new Set(['redis', 'queueRedis', 'identity'])
const DEGRADED = 'degraded: '

/**
 * Returns whether this process can serve: the booking database answers, no database is unfit, no database has another version, and
 * the process is not draining. Also returns the state of Redis and of the waiting room's database.
 */
export async function readReadiness(
  app: App,
  isDraining: boolean,
  identities?: Pick<Identities, 'requireFit'>,
): Promise<Readiness> {
  const parts = Object.fromEntries(
    await Promise.all(
      Object.entries({
        database: () => requireFitDatabase(app.db),
        migrations: () => checkVersion(app.db),
        redis: () => requireFitRedis(app.redis),
        queueDatabase: () => requireFitDatabase(app.roomDb),
        queueMigrations: () => checkVersion(app.roomDb),
        queueRedis: () => requireFitRedis(app.roomRedis),
        ...(identities && { identity: () => identities.requireFit() }),
      }).map(async ([name, check]) => {
        const { state, isAway } = await stateOf(check)
        const isDegraded = state !== 'ok' && (REPORTED.has(name) || (isAway && DISPENSABLE.has(name)))
        return [name, isDegraded ? DEGRADED + state : state] as const
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
export function createReadiness(
  app: App,
  identities?: Pick<Identities, 'requireFit'>,
): (isDraining: boolean) => Promise<Readiness> {
  const check = keptRead(SHARED_MS, () => readReadiness(app, false, identities))
  return async (isDraining) => {
    const found = await check()
    return isDraining ? { ready: false, parts: { ...found.parts, process: 'draining' } } : found
  }
}

interface State {
  readonly state: string
  readonly isAway: boolean
}

/** Returns no reason but that of Unfit: the text of another error may name hosts and users. */
async function stateOf(check: () => Promise<unknown>): Promise<State> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<State>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, { state: 'does not answer', isAway: true })
  })
  const answer = check().then(
    () => ({ state: 'ok', isAway: false }),
    (error) => {
      if (error instanceof Unfit) return { state: error.message, isAway: false }
      if (error instanceof WrongVersion) return { state: WRONG_VERSION, isAway: false }
      return { state: 'fails', isAway: true }
    },
  )
  const result = await Promise.race([answer, late])
  clearTimeout(timer)
  return result
}
