import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '#prisma'
import { shareWithBackground } from './backgroundShare.ts'
import { createPipelines, expressly, inLine } from './pipelines.ts'
import { type PoolerWatch, UtcClient, watchForPooler } from './session.ts'
import { nameOfStatement } from './statement.ts'
import { createStatementTurns } from './statementTurns.ts'

export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
  /**
   * Runs a statement as `prisma.$queryRaw` does, behind others on one of a few connections, before those have answered:
   * see pipelines.ts. Not for a statement that waits for locks. The events take turns: see statementTurns.ts.
   */
  pipelined<Row>(statement: Prisma.Sql, eventId: string): Promise<Row[]>
  readonly pooler: PoolerWatch
  /**
   * Loads the query engines, without a connection: also while the database is away. Otherwise the first statement of each
   * kind loads its engine, which blocks the event loop.
   */
  load(): Promise<void>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Connections this process may open. Default: 20. */
  connections?: number
  /** Of them, those that pipelined statements share. Default: 2. */
  pipelines?: number
  /** Called when a connection is lost while idle; the pool replaces it by itself. */
  onConnectionError?: (error: Error) => void
  /**
   * Called with each wait for a connection, in milliseconds, whether or not the caller got one. A caller whose connection
   * was opened for it waited for no other caller and is not reported.
   */
  onWait?: (ms: number) => void
}

/** Longer than a lull in a sale: a new connection has no plans yet. */
const IDLE_MS = 60_000

/** The longest wait for a connection, and for a statement. */
const CONNECTION_MS = 5_000
const STATEMENT_MS = 15_000

/**
 * Opens a pool that the caller owns, with Prisma over it. Connections are made on first use.
 *
 * Fails, rather than hangs, where no connection is to be had within 5 s or a statement takes over 15 s: half-open sockets
 * would block the pool for good (node-postgres 3399).
 */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { connections = 20, pipelines = 2 } = options
  const onConnectionError = options.onConnectionError ?? (() => {})
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECTION_MS,
    query_timeout: STATEMENT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // Of no effect where each statement has a connection to itself.
    pipeline: true,
    Client: UtcClient,
  })
  // Without a listener the loss of an idle connection ends the process (prisma/orm 27641).
  pool.on('error', onConnectionError)
  pool.on('connect', (client) => client.on('error', onConnectionError))
  const pooler = watchForPooler(pool)
  if (options.onWait) reportWaits(pool, options.onWait)
  // After it: a wait for the background's share is no sign that the pool is too small.
  shareWithBackground(pool, Math.max(1, Math.floor((connections - pipelines) / 2)), CONNECTION_MS)
  const prisma = prismaOver(pool, pooler)
  // A client of its own: Prisma passes no mark of a statement on to its adapter.
  const turns = createStatementTurns(pipelines, options.onWait)
  const pipelined = prismaOver(createPipelines(pool, pipelines, options.onWait), pooler)
  return {
    prisma,
    pool,
    pooler,
    pipelined: (statement, eventId) =>
      turns.run(eventId, (isExpress) =>
        (isExpress ? expressly : inLine)(() => pipelined.$queryRaw(statement)),
      ),
    async load() {
      await Promise.all([prisma.$connect(), pipelined.$connect()])
    },
    async close() {
      await Promise.all([prisma.$disconnect(), pipelined.$disconnect()])
      await pool.end()
    },
  }
}

/** Behind a pooler no statement is prepared: its next execution may reach another connection of PostgreSQL. */
function prismaOver(pool: pg.Pool, pooler: PoolerWatch): PrismaClient {
  const nameOf: typeof nameOfStatement = (query) =>
    pooler.isPooled === false ? nameOfStatement(query) : undefined
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameOf as () => string })
  // Minimal: else it takes a stack trace at every query, for errors that only a log shows.
  // The pool's own limits: Prisma's are shorter, and a machine that is busy with a start exceeds them.
  const transactionOptions = { maxWait: CONNECTION_MS, timeout: STATEMENT_MS }
  return new PrismaClient({ adapter, errorFormat: 'minimal', transactionOptions })
}

type Connected = (error: Error | undefined, client: object | undefined, release: unknown) => void

/**
 * Each query of the pool, Prisma's too, gets its connection here: by callback, and transactions by promise. A process
 * that starts opens all of its connections, on a busy machine over a second each: no sign that the pool is too small.
 */
function reportWaits(pool: pg.Pool, onWait: (ms: number) => void): void {
  const opened = new WeakSet<object>()
  pool.on('connect', (client) => opened.add(client))
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<object> | undefined
  pool.connect = ((callback?: Connected) => {
    const startedAt = performance.now()
    const report = (client?: object) => {
      if (!client || !opened.delete(client)) onWait(performance.now() - startedAt)
    }
    if (!callback) {
      const connected = connect()
      connected?.then(report, () => report())
      return connected
    }
    return connect((error, client, release) => {
      report(client)
      callback(error, client, release)
    })
  }) as typeof pool.connect
}
