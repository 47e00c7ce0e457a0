import { runInSlices } from './eventLoop.ts'

export interface GatherOptions<Item, Result> {
  /** Calls `send` at the moment at which the batch must leave: `afterMs` or `afterCurrentWork`. */
  when(send: () => void): void
  /** Returns the item's key. A batch has items of one key only. Default: all items have the same key. */
  keyOf?(item: Item): string
  /** True: each key has a window of its own. False: one window serves all keys, and their batches leave together. */
  windowPerKey?: boolean
  /** The most items of one batch. */
  most?: number
  /**
   * True where each caller continues with work of its own: the results resolve over several passes of the event loop, so that
   * it serves other work in between. False where the callers' next items must gather again in one batch.
   */
  spread?: boolean
  /** Sends a batch. Result i belongs to item i; an error rejects every item of the batch. */
  send(items: readonly Item[]): Promise<ArrayLike<Result>>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Returns a function that sends an item together with others, and resolves to the item's own result. */
export function createGatherer<Item, Result>(
  options: GatherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const {
    when,
    keyOf = () => '',
    windowPerKey = false,
    most = Number.POSITIVE_INFINITY,
    spread = false,
  } = options
  let gathered = new Map<string, Waiting<Item, Result>[]>()

  async function sendBatch(batch: readonly Waiting<Item, Result>[]) {
    try {
      const results = await options.send(batch.map(({ item }) => item))
      let next = 0
      const resolveNext = () => {
        batch[next]?.resolve(results[next] as Result)
        return ++next < batch.length
      }
      if (spread) runInSlices(resolveNext)
      else while (resolveNext());
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function sendAll(items: readonly Waiting<Item, Result>[]) {
    for (let from = 0; from < items.length; from += most) void sendBatch(items.slice(from, from + most))
  }

  function sendEveryKey() {
    const all = gathered
    gathered = new Map()
    for (const items of all.values()) sendAll(items)
  }

  function sendKey(key: string) {
    const items = gathered.get(key) ?? []
    gathered.delete(key)
    sendAll(items)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item)
      const isFirst = gathered.size === 0
      const waiting = { item, resolve, reject }
      const known = gathered.get(key)
      if (known) return void known.push(waiting)
      gathered.set(key, [waiting])
      if (windowPerKey) when(() => sendKey(key))
      else if (isFirst) when(sendEveryKey)
    })
}

/** A window of so many milliseconds, which begins with its first item. */
export function afterMs(ms: number): (send: () => void) => void {
  return (send) => {
    setTimeout(send, ms)
  }
}

/** A window that ends after the queued microtasks, and the ones that they queue. */
export function afterCurrentWork(send: () => void): void {
  queueMicrotask(() => process.nextTick(send))
}
