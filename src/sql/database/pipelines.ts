import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { inForeground } from '../../async/background.ts'

/** A connection of the pool, for as long as a statement is under way on it. */
interface Pipeline {
  readonly client: Promise<pg.PoolClient>
  underWay: number
  /** By performance.now(), when its last result came. */
  answeredAt: number
  isGathering: boolean
  /** The next statement opens another pipeline. */
  forget(): void
}

/** Prisma passes no mark of a statement on to its adapter. */
const onExpress = new AsyncLocalStorage<boolean>()

/** Sends the statements of `work` over the express: a connection beside the others, for statements that must not wait behind them. */
export function expressly<T>(work: () => PromiseLike<T>): Promise<T> {
  return onExpress.run(true, async () => await work())
}

/** Sends the statements of `work` over the connections of all statements. */
export function inLine<T>(work: () => PromiseLike<T>): Promise<T> {
  return onExpress.run(false, async () => await work())
}

/**
 * A pool whose `query` sends statements over few connections of `pool`, several at once over each; all else is `pool`'s. The
 * statements of a connection run one after another, and each is a transaction of its own. In a rush, a database that serves twenty
 * connections switches at each statement from one process, with its plans and caches, to another, and wakes a client.
 *
 * A statement that waits for locks must not be sent here: the statements behind it would wait with it.
 *
 * @param most of the pool's connections, beside the express; one is left for all other statements
 * @param onWait receives how long each statement waited for those before it, in milliseconds
 */
export function createPipelines(
  pool: pg.Pool,
  most: number,
  onWait: (ms: number) => void = () => {},
): pg.Pool {
  const inLine = new Set<Pipeline>()
  const express = new Set<Pipeline>()

  function leastBusy(): Pipeline {
    // A small pool has no express.
    if (onExpress.getStore() && pool.options.max > most + 1) return leastBusyOf(express, 1)
    return leastBusyOf(inLine, Math.min(most, pool.options.max - 1))
  }

  function leastBusyOf(open: Set<Pipeline>, atMost: number): Pipeline {
    let least: Pipeline | undefined
    for (const one of open) if (!least || one.underWay < least.underWay) least = one
    return least && open.size >= atMost ? least : openOne(open)
  }

  function openOne(open: Set<Pipeline>): Pipeline {
    // Operations of all kinds share it, so it waits with none of them (backgroundShare.ts).
    const client = inForeground(() => pool.connect())
    const forget = () => void open.delete(pipeline)
    const pipeline: Pipeline = { client, underWay: 0, answeredAt: 0, isGathering: false, forget }
    open.add(pipeline)
    client.then((connected) => connected.once('error', forget), forget)
    return pipeline
  }

  async function query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const pipeline = leastBusy()
    const sentAt = performance.now()
    const isBehind = pipeline.underWay++ > 0
    const client = await pipeline.client
    try {
      gather(pipeline, client)
      return await client.query(statement)
    } finally {
      // The statement that opened the pipeline waited for the pool alone, which reports that wait itself.
      if (isBehind) onWait(Math.max(0, pipeline.answeredAt - sentAt))
      pipeline.answeredAt = performance.now()
      if (--pipeline.underWay === 0) {
        pipeline.forget()
        client.off('error', pipeline.forget)
        client.release()
      }
    }
  }

  return Object.create(pool, { query: { value: query } })
}

/** Statements of one pass of the event loop leave in one write. */
function gather(pipeline: Pipeline, { connection: { stream } }: pg.PoolClient): void {
  if (pipeline.isGathering) return
  pipeline.isGathering = true
  stream.cork()
  process.nextTick(() => {
    pipeline.isGathering = false
    stream.uncork()
  })
}
