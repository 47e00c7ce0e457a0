import { runInSlices } from './eventLoop.ts'

export interface GatherOptions<Item, Result> {
  /** Calls `leave` when the batch is to leave: `afterMs` or `afterCurrentWork`. */
  when(leave: () => void): void
  /** Items of one key go together. Default: all items. */
  keyOf?(item: Item): string
  /** The most items of one batch. */
  most?: number
  /** Sends a batch. Result i is the one of item i; an error is the error of each item. */
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
  const { when, keyOf = () => '', most = Number.POSITIVE_INFINITY, send } = options
  let gathered: Waiting<Item, Result>[] = []

  async function sendBatch(batch: readonly Waiting<Item, Result>[]) {
    try {
      const results = await send(batch.map(({ item }) => item))
      let next = 0
      // Each caller goes on with work of its own. In one run they would keep the event loop from everything else.
      runInSlices(() => {
        batch[next]?.resolve(results[next] as Result)
        return ++next < batch.length
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function leave() {
    const all = gathered
    gathered = []
    for (const ofKey of Map.groupBy(all, ({ item }) => keyOf(item)).values()) {
      for (let from = 0; from < ofKey.length; from += most) void sendBatch(ofKey.slice(from, from + most))
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (gathered.push({ item, resolve, reject }) === 1) when(leave)
    })
}

/** A batch leaves so many milliseconds after its first item came. */
export function afterMs(ms: number): (leave: () => void) => void {
  return (leave) => {
    setTimeout(leave, ms)
  }
}

/** A batch leaves after the microtasks that are queued already, and those that they queue. */
export function afterCurrentWork(leave: () => void): void {
  queueMicrotask(() => process.nextTick(leave))
}
