import type { App } from '../app.ts'
import type { Fault } from '../sale/faults.ts'
import type { Context } from './context.ts'

/** Watches what a subscriber may follow by, and calls `end` once, when that is over. Returns how to stop watching. */
export type Watch = (end: (fault: Fault) => void) => () => void

/**
 * A subscription that tells everybody the same. Who may follow it is asked of each; what it tells is executed and
 * serialized once, whatever the number of those who follow (server/broadcast). So nothing that can be selected below
 * it may depend on who asks: a test walks the schema for that.
 */
export interface Broadcast<Args, Value> {
  /** Throws where the caller may not follow it. Null: may for as long as it goes on. */
  admit(args: Args, context: Context): Promise<Watch | null>
  /** The value now, then what changes. */
  updates(args: Args, app: App): Promise<AsyncIterableIterator<Value>>
  /** Brings a newcomer to where those stand who were told `last`, as true as it can be told now. */
  whole(last: Value, args: Args, app: App): Promise<Value>
  /**
   * Who comes may have been told more by another server than is known here yet. Asked when he comes; says of an update
   * whether it has come as far as anybody may have been told until then. One that has follows before long.
   */
  atLeast?(args: Args, app: App): Promise<(last: Value) => boolean>
}

/** The options of a subscription field that is broadcast to sockets. Who comes by HTTP has an execution of its own. */
export function broadcasts<Args, Value>(broadcast: Broadcast<Args, Value>) {
  return {
    extensions: { broadcast },
    subscribe: async (_root: unknown, args: Args, context: Context): Promise<AsyncIterable<Value>> => {
      const watch = await broadcast.admit(args, context)
      const values = await broadcast.updates(args, context.app)
      return watch ? until(watch, values) : values
    },
  }
}

/** The same values until the watch ends them, then its fault. */
export function until<T>(watch: Watch, values: AsyncIterable<T>): AsyncIterable<T> {
  const inner = values[Symbol.asyncIterator]()
  let fault: Fault | undefined
  let rejectNext: ((fault: Fault) => void) | undefined
  const stop = watch((reason) => {
    fault = reason
    rejectNext?.(reason)
  })

  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          if (fault) return reject(fault)
          rejectNext = (reason) => {
            reject(reason)
            inner.return?.()
          }
          inner.next().then(
            (result) => {
              if (result.done) stop()
              resolve(result)
            },
            (error) => {
              stop()
              reject(error)
            },
          )
        }),
      return() {
        stop()
        return inner.return?.() ?? Promise.resolve({ done: true as const, value: undefined })
      },
    }),
  }
}
