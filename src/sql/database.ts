import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '#prisma'
import { createPipelines, PIPELINED, type Pipelines } from './pipelines.ts'

export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Connections this process may open. Default: 20. */
  connections?: number
  /** Of them, those that holds share, see pipelines.ts. Default: 2. */
  pipelines?: number
  /** Told of connections that were lost while idle; the pool replaces them by itself. */
  onConnectionError?: (error: Error) => void
  /**
   * Told how long each of those who asked for a connection waited for one, in vain or not, in milliseconds. Who gets one
   * that was opened for it has waited for no other.
   */
  onWait?: (ms: number) => void
}

/** Longer than a lull in a sale: a connection that is opened anew has planned nothing yet. */
const IDLE_MS = 60_000

/**
 * Opens a pool that the caller owns, with Prisma over it. Connections are made on first use.
 *
 * A connection that cannot be had within 5 s or a statement that takes over 15 s fails rather than hangs:
 * half-open sockets would block the pool for good (node-postgres 3399).
 */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const onConnectionError = options.onConnectionError ?? (() => {})
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 20,
    connectionTimeoutMillis: 5_000,
    query_timeout: 15_000,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // Of no effect where each statement has a connection to itself.
    pipeline: true,
    options: '-c TimeZone=UTC',
  })
  // Without a listener the loss of an idle connection ends the process (prisma/orm 27641).
  pool.on('error', onConnectionError)
  pool.on('connect', (client) => client.on('error', onConnectionError))
  if (options.onWait) tellWaits(pool, options.onWait)
  sharePipelines(pool, createPipelines(pool, options.pipelines ?? 2, options.onWait))
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameOfHotStatement as () => string })
  // Minimal: else it takes a stack trace at every query, to show in errors that nobody but a log is told of.
  const prisma = new PrismaClient({ adapter, errorFormat: 'minimal' })
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

type Connected = (error: Error | undefined, client: object | undefined, release: unknown) => void

/**
 * Each query of the pool, Prisma's too, gets its connection here: by callback, and transactions by promise. A process
 * that starts opens all of its connections, on a busy machine over a second each: that says nothing of the pool.
 */
function tellWaits(pool: pg.Pool, onWait: (ms: number) => void): void {
  const opened = new WeakSet<object>()
  pool.on('connect', (client) => opened.add(client))
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<object> | undefined
  pool.connect = ((callback?: Connected) => {
    const startedAt = performance.now()
    const tell = (client?: object) => {
      if (!client || !opened.delete(client)) onWait(performance.now() - startedAt)
    }
    if (!callback) {
      const connected = connect()
      connected?.then(tell, () => tell())
      return connected
    }
    return connect((error, client, release) => {
      tell(client)
      callback(error, client, release)
    })
  }) as typeof pool.connect
}

/** Prisma's own statements too: it asks the pool. */
function sharePipelines(pool: pg.Pool, pipelines: Pipelines): void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>
  pool.query = ((...args: [pg.QueryConfig, ...unknown[]]) =>
    args[0].text?.startsWith(PIPELINED) ? pipelines.query(args[0]) : query(...args)) as typeof pool.query
}

/** Calls of our SQL functions are prepared once a connection; one-off statements are not kept. */
function nameOfHotStatement({ sql }: { sql: string }): string | undefined {
  const [, pipelined, name] =
    /^\s*(\/\* pipelined \*\/ )?select (?:\*|to_json\(a\) as answer) from (\w+)\(/.exec(sql) ?? []
  return pipelined ? `${name} pipelined` : name
}
