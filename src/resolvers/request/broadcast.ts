import type { App } from '../../app.ts'
import { createStaggeredResume } from '../../async/eventLoop.ts'
import type { Fault } from '../../sale/faults.ts'
import type { Context } from './context.ts'

/** Watches a subscriber's permission, and calls `end` once, when it ends. Returns a function that stops the watch. */
export type Watch = (end: (fault: Fault) => void) => () => void

/**
 * A subscription that sends the same values to all its subscribers. Each subscriber is admitted alone; each value is
 * executed and serialized once for all of them (server/broadcast). So no field that can be selected below it may depend
 * on the caller: a test walks the schema for that.
 */
export interface Broadcast<Args, Value> {
  /** Throws where the caller may not subscribe. Null: the caller may stay until the subscription ends. */
  admit(args: Args, context: Context): Promise<Watch | null>
  /** Returns the current value, then each change. */
  updates(args: Args, app: App): Promise<AsyncIterableIterator<Value>>
  /** Returns the first value of a new subscriber: it leads to the same state as `last`, and is as recent as possible. */
  whole(last: Value, args: Args, app: App): Promise<Value>
  /**
   * A new subscriber may have received later values from another server. Called when it subscribes; the result tests
   * whether a value is at least as recent as every value that any server may have sent by then. Such a value soon follows.
   */
  atLeast?(args: Args, app: App): Promise<(last: Value) => boolean>
}

/** Returns the options of a subscription field that is broadcast to sockets. Over HTTP, each subscriber has its own execution. */
export function broadcasts<Args, Value>(broadcast: Broadcast<Args, Value>) {
  return {
    extensions: { broadcast },
    subscribe: async (_root: unknown, args: Args, context: Context): Promise<AsyncIterable<Value>> => {
      const watch = await broadcast.admit(args, context)
      const values = staggered(await broadcast.updates(args, context.app))
      return watch ? until(watch, values) : values
    },
  }
}

const resume = createStaggeredResume()

/** Returns the same values. A change wakes all subscribers at once, and each of them executes it: a few go on at a time. */
function staggered<T>(values: AsyncIterableIterator<T>): AsyncIterableIterator<T> {
  return {
    async next() {
      const result = await values.next()
      await resume()
      return result
    },
    return: () => values.return?.() ?? Promise.resolve({ done: true as const, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Returns the same values until the watch ends them, then throws its fault. */
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
          if (fault) {
            inner.return?.()
            return reject(fault)
          }
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
