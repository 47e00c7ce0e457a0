import pg from 'pg'

/**
 * A connection whose times are in UTC. PostgreSQL applies this parameter after the `options` of an address, which therefore keep
 * their other settings; PgBouncer passes it on in every mode, and does not pass on `options`.
 */
export class UtcClient extends pg.Client {
  getStartupConf(): Record<string, string> {
    // @ts-expect-error: not in its types. requireFitDatabase notices if a new version of pg does not call it.
    return { ...super.getStartupConf(), TimeZone: 'UTC' }
  }
}

export interface PoolerWatch {
  /**
   * True if a pooler such as PgBouncer is between this process and PostgreSQL. Undefined until a connection was made.
   * A pooler gives a client a number of its own instead of the number of the server's process.
   */
  readonly isPooled: boolean | undefined
}

/** Looks for a pooler once, on the first connections of the pool. */
export function watchForPooler(pool: pg.Pool): PoolerWatch {
  const watch: { isPooled: boolean | undefined } = { isPooled: undefined }
  pool.on('connect', (client) => {
    if (watch.isPooled !== undefined) return
    isBehindPooler(client).then(
      (isPooled) => {
        watch.isPooled ??= isPooled
      },
      // The connection is lost: the next one is watched.
      () => {},
    )
  })
  return watch
}

/** True if a pooler is between this session and PostgreSQL. */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return rows[0].pid !== (client as unknown as { processID: number }).processID
}
