import type pg from 'pg'

/**
 * What the text of a statement begins with that may be written behind others on a connection, before those have answered.
 * Not one that waits for locks: whoever is behind it would wait with it.
 */
export const PIPELINED = '/* pipelined */ '

/** A connection of the pool, for as long as something is under way on it. */
interface Pipeline {
  readonly client: Promise<pg.PoolClient>
  underWay: number
  /** By performance.now(), when its last answer came. */
  answeredAt: number
  isGathering: boolean
  /** Whoever asks next opens another. */
  forget(): void
}

export interface Pipelines {
  query(statement: pg.QueryConfig): Promise<pg.QueryResult>
}

/**
 * Sends statements over few connections, several at once over each; they run in turn, and every one is a transaction of its
 * own. In a rush a database that is asked over twenty connections changes from one process, with its plans and caches, to
 * another at each statement, and whoever asks wakes one at each.
 *
 * @param most of the pool's connections; one is left for others
 * @param onWait told how long each one waited for those before it, in milliseconds
 */
export function createPipelines(
  pool: pg.Pool,
  most: number,
  onWait: (ms: number) => void = () => {},
): Pipelines {
  const open = new Set<Pipeline>()

  function leastBusy(): Pipeline {
    let least: Pipeline | undefined
    for (const one of open) if (!least || one.underWay < least.underWay) least = one
    return least && open.size >= Math.min(most, pool.options.max - 1) ? least : openOne()
  }

  function openOne(): Pipeline {
    const client = pool.connect()
    const forget = () => void open.delete(pipeline)
    const pipeline: Pipeline = { client, underWay: 0, answeredAt: 0, isGathering: false, forget }
    open.add(pipeline)
    client.then((connected) => connected.once('error', forget), forget)
    return pipeline
  }

  return {
    async query(statement) {
      const pipeline = leastBusy()
      const askedAt = performance.now()
      const isBehind = pipeline.underWay++ > 0
      const client = await pipeline.client
      try {
        gather(pipeline, client)
        return await client.query(statement)
      } finally {
        // Who opened it waited for the pool alone, which tells of that itself.
        if (isBehind) onWait(Math.max(0, pipeline.answeredAt - askedAt))
        pipeline.answeredAt = performance.now()
        if (--pipeline.underWay === 0) {
          pipeline.forget()
          client.off('error', pipeline.forget)
          client.release()
        }
      }
    },
  }
}

/** What is asked in one turn of the event loop leaves in one write. */
function gather(pipeline: Pipeline, { connection: { stream } }: pg.PoolClient): void {
  if (pipeline.isGathering) return
  pipeline.isGathering = true
  stream.cork()
  process.nextTick(() => {
    pipeline.isGathering = false
    stream.uncork()
  })
}
