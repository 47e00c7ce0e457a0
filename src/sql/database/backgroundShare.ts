import type pg from 'pg'
import { backgroundOperation } from '../../async/background.ts'
import { createFairQueue } from '../../async/fairQueue.ts'

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: unknown) => void

/** A connection that the background waits for. */
interface Waiting {
  begin(): void
  readonly patience: NodeJS.Timeout
}

/**
 * Lets operations of the background (async/background.ts) use at most `most` connections of the pool at once. So an operation
 * that reads thirty things delays no checkout: the pool serves its waiting clients in order. Operations of the background that
 * wait get connections in rotation, one at a time, however many each of them wants.
 *
 * A wait of more than `patienceMs` fails as the pool's own wait does.
 */
export function shareWithBackground(pool: pg.Pool, most: number, patienceMs: number): void {
  const waiting = createFairQueue<Waiting>()
  const used = new WeakSet<object>()
  let free = most

  function give() {
    const next = waiting.shift()
    if (!next) return void free++
    clearTimeout(next.patience)
    next.begin()
  }

  pool.on('release', (_error, client) => {
    if (used.delete(client)) give()
  })

  const connect = pool.connect.bind(pool) as (callback: Connected) => void

  function connectInTurn(operation: string, callback: Connected) {
    const begin = () =>
      connect((error, client, release) => {
        if (client) used.add(client)
        else give()
        callback(error, client, release)
      })
    if (free > 0) {
      free--
      return begin()
    }
    const patience = setTimeout(() => {
      waiting.remove(operation, item)
      callback(new Error('timeout exceeded when trying to connect'), undefined, () => {})
    }, patienceMs)
    const item = { begin, patience }
    waiting.push(operation, item)
  }

  pool.connect = ((callback?: Connected) => {
    const operation = backgroundOperation()
    if (operation === undefined) return callback ? connect(callback) : (connect as unknown as Connect)()
    if (callback) return connectInTurn(operation, callback)
    return new Promise<pg.PoolClient>((resolve, reject) => {
      connectInTurn(operation, (error, client) => (client ? resolve(client) : reject(error)))
    })
  }) as typeof pool.connect
}

type Connect = () => Promise<pg.PoolClient>
