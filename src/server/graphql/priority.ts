import { type DocumentNode, getOperationAST, Kind } from 'graphql'
import { inBackground, inForeground } from '../../async/background.ts'
import { runInSlices } from '../../async/eventLoop.ts'
import { createFairQueue, type FairQueue } from '../../async/fairQueue.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { overloaded } from '../../sale/faults.ts'
import type { Metrics } from '../metrics/metrics.ts'

/** The priority classes, most urgent first. The last two have the same rank and alternate. */
export const CLASSES = ['checkout', 'holds', 'maps', 'browsing', 'joins'] as const
export type Class = (typeof CLASSES)[number]

/** Bounds of one class in a process. */
export interface Limits {
  /** Operations that run at once. */
  readonly running: number
  readonly mostWaiting: number
  /** No operation may wait behind one of its event that has waited longer than this. */
  readonly patienceSeconds: number
}

/**
 * Under a flood, a process serves the most urgent class first: checkout outlives holds, holds outlive maps, maps outlive
 * browsing and joining. An operation that would wait too long is refused at once, before its caller is identified.
 *
 * Within a class each event has a line of its own, and the lines are served in rotation. No event has all slots of a class: the
 * crowd of one event does not stop the sale of another. Operations that name no known event share one line, so an id that was made
 * up makes no line.
 */
export interface Priority {
  /**
   * Runs the work when its class has a free slot: at once, unless the process is busy. Throws OVERLOADED where the event's
   * line stands still, or where the class's backlog is full and the event has its even share of it. The work has not begun
   * then, and the client may retry.
   *
   * @param eventId as the client names it; it need not exist
   */
  run<T>(inClass: Class, work: () => MaybePromise<T>, eventId?: string): Promise<T>
  /** The operations of each class that run and that wait. */
  figures(): readonly { readonly class: Class; readonly underWay: number; readonly waiting: number }[]
}

/**
 * The limits for a pool of so many database connections. A pool serves its waiting clients in order, so a class of the foreground
 * may run only as many as the pool serves within milliseconds. Joins wait for the journal together and share one connection.
 */
export function limitsFor(connections: number): Record<Class, Limits> {
  return {
    checkout: { running: 4 * connections, mostWaiting: 500, patienceSeconds: 2 },
    holds: { running: 2 * connections, mostWaiting: 2_000, patienceSeconds: 2 },
    maps: { running: 5 * connections, mostWaiting: 5_000, patienceSeconds: 2 },
    browsing: { running: 3 * connections, mostWaiting: 1_000, patienceSeconds: 2 },
    joins: { running: 500, mostWaiting: 20_000, patienceSeconds: 10 },
  }
}

/** An operation that waits for a slot. */
interface Waiting {
  readonly since: number
  readonly eventId: string | undefined
  line: string
  begin(): void
  /** Ends the wait with OVERLOADED: the place is needed for an event with less than its share. */
  refuse(): void
}

/** The share of one class: its limits, its operations under way, and its backlog, with a line for each event. */
interface Share extends Limits {
  readonly class: Class
  readonly rank: number
  underWay: number
  /** The operations under way of each line that has some. */
  readonly underWayOf: Map<string, number>
  readonly queue: FairQueue<Waiting>
  /** The count of operations begun when this class last began one: classes of one rank alternate by it. */
  servedAt: number
}

const RANKS: Readonly<Record<Class, number>> = { checkout: 0, holds: 1, maps: 2, browsing: 3, joins: 3 }

/**
 * Their operations share half of the database's connections, in rotation: one operation may read many things. Joins share one
 * connection among them.
 */
const BACKGROUND: readonly Class[] = ['maps', 'browsing']

/**
 * An event may have this many times as many slots of a class as are free: four fifths while it is alone. So an operation of
 * another event finds a slot at once, also where those of the crowd wait for a lock or for a plan that loads (fairShare.ts).
 */
const TIMES_FREE = 4

/** Events that are looked for at once. Further ones are looked for when their next operation comes. */
const MOST_SEARCHED = 100

/** The line of the operations that name no known event. */
const NO_EVENT = ''

export interface PriorityDeps {
  limits: Readonly<Record<Class, Limits>>
  /** True for events that exist. Default: all. */
  isKnown?(eventId: string): boolean
  /** Finds out whether an event exists that is not known. Then its operations get a line of their own. Default: none exists. */
  lookFor?(eventId: string): Promise<boolean>
  onRefused?(refused: Class): void
  now?(): number
}

export function createPriority({
  limits,
  isKnown = () => true,
  lookFor = async () => false,
  onRefused = () => {},
  now = () => performance.now(),
}: PriorityDeps): Priority {
  const shares: readonly Share[] = CLASSES.map((name) => ({
    ...limits[name],
    class: name,
    rank: RANKS[name],
    underWay: 0,
    underWayOf: new Map(),
    queue: createFairQueue(),
    servedAt: 0,
  }))
  const shareOf = Object.fromEntries(shares.map((share) => [share.class, share])) as Record<Class, Share>
  const searched = new Set<string>()
  let served = 0
  let isServing = false

  /** A line of its own for each known event. Searches for an event that this process has not met yet. */
  function lineOf(eventId: string | undefined): string {
    if (eventId === undefined) return NO_EVENT
    if (isKnown(eventId)) return eventId
    if (searched.size < MOST_SEARCHED && !searched.has(eventId)) void search(eventId)
    return NO_EVENT
  }

  async function search(eventId: string) {
    searched.add(eventId)
    const isThere = await lookFor(eventId).catch(() => false)
    searched.delete(eventId)
    if (!isThere) return
    // A process that has just started would otherwise serve them in the order in which they came, behind the crowd.
    for (const { queue } of shares)
      queue.move(NO_EVENT, eventId, (item) => {
        const belongs = item.eventId === eventId
        if (belongs) item.line = eventId
        return belongs
      })
    serve()
  }

  const hasSlot = ({ queue, underWay, running }: Share) => queue.size > 0 && underWay < running

  /** One operation of each event may always begin where a slot is free. */
  function mayBegin({ underWay, underWayOf, running }: Share, line: string): boolean {
    return (underWayOf.get(line) ?? 0) < Math.max(1, TIMES_FREE * (running - underWay))
  }

  /** Begins one operation; false where none may begin now. */
  function serveNext(): boolean {
    isServing = false
    for (const share of shares.filter(hasSlot).sort((a, b) => a.rank - b.rank || a.servedAt - b.servedAt)) {
      const next = share.queue.shift((line) => mayBegin(share, line))
      if (!next) continue
      isServing = true
      share.servedAt = ++served
      next.begin()
      break
    }
    return isServing
  }

  function serve() {
    if (isServing || !shares.some(hasSlot)) return
    isServing = true
    setImmediate(runInSlices, serveNext)
  }

  function end(share: Share, line: string) {
    share.underWay--
    const left = (share.underWayOf.get(line) ?? 0) - 1
    if (left > 0) share.underWayOf.set(line, left)
    else share.underWayOf.delete(line)
    if (share.queue.size > 0) serve()
  }

  /** Work that returns without a promise frees its slot at once. */
  function begin<T>(share: Share, line: string, work: () => MaybePromise<T>): MaybePromise<T> {
    share.underWay++
    share.underWayOf.set(line, (share.underWayOf.get(line) ?? 0) + 1)
    let done: MaybePromise<T>
    try {
      done = BACKGROUND.includes(share.class) ? inBackground(work) : inForeground(work)
    } catch (error) {
      end(share, line)
      throw error
    }
    if (done instanceof Promise) return done.finally(() => end(share, line))
    end(share, line)
    return done
  }

  /** Clients that are refused at one moment do not all retry at one moment. */
  function refusal({ class: refused, patienceSeconds }: Share): Error {
    onRefused(refused)
    return overloaded((patienceSeconds / 2) * (1 + Math.random()))
  }

  /** False where the operation may not wait. */
  function hasRoom({ queue, underWay, mostWaiting, running, patienceSeconds }: Share, line: string): boolean {
    const first = queue.first(line)
    if (first && now() - first.since > patienceSeconds * 1_000) return false
    if (queue.size + underWay < mostWaiting + running) return true
    const displaced = queue.displace(line)
    displaced?.refuse()
    return displaced !== undefined
  }

  return {
    run(inClass, work, eventId) {
      const share = shareOf[inClass]
      const line = lineOf(eventId)
      if (!hasRoom(share, line)) return Promise.reject(refusal(share))
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          since: now(),
          eventId,
          line,
          begin() {
            try {
              resolve(begin(share, waiting.line, work))
            } catch (error) {
              reject(error)
            }
          },
          refuse: () => reject(refusal(share)),
        }
        share.queue.push(line, waiting)
        serve()
      })
    },
    figures: () =>
      shares.map(({ class: of, underWay, queue }) => ({ class: of, underWay, waiting: queue.size })),
  }
}

/** The priority of an API process, with its figures in the metrics. */
export function measuredPriority(
  metrics: Metrics,
  deps: Required<Pick<PriorityDeps, 'limits' | 'isKnown' | 'lookFor'>>,
): Priority {
  const priority = createPriority({ ...deps, onRefused: metrics.refused })
  const figures = (count: 'underWay' | 'waiting') => async () =>
    priority.figures().map((share) => [{ class: share.class }, share[count]] as const)
  metrics.gaugeOf(
    'fairgate_operations_running',
    'Operations that run, by class.',
    ['class'],
    figures('underWay'),
  )
  metrics.gaugeOf(
    'fairgate_operations_queued',
    'Operations that wait for a free slot, by class.',
    ['class'],
    figures('waiting'),
  )
  return priority
}

/**
 * The class by root field; every other field is browsing. Ops change the rate or stop a sale when it matters most, so their
 * mutations rank with checkout. Fans inside read holds and orders as often as maps.
 */
const CLASS_OF: Readonly<Record<string, Class>> = {
  'mutation.checkout': 'checkout',
  'mutation.setAdmission': 'checkout',
  'mutation.updateSale': 'checkout',
  'mutation.revealBeacon': 'checkout',
  'mutation.releaseHolds': 'checkout',
  'mutation.hold': 'holds',
  'mutation.exchangeHold': 'holds',
  'mutation.releaseHold': 'holds',
  'mutation.updateEvent': 'holds',
  'mutation.blockSeats': 'holds',
  'mutation.unblockSeats': 'holds',
  'query.event': 'maps',
  'query.queuePosition': 'maps',
  'query.hold': 'maps',
  'query.order': 'maps',
  'mutation.leaveQueue': 'maps',
  'mutation.requestTurnAlerts': 'maps',
  'mutation.endTurnAlerts': 'maps',
  'mutation.joinQueue': 'joins',
}

/**
 * The class of an operation: the least urgent class of its root fields. A subscription is a map that changes. A text that is no
 * document is browsing.
 */
export function classOf(document: DocumentNode | null, operationName?: string | null): Class {
  const operation = document && getOperationAST(document, operationName)
  if (!operation) return 'browsing'
  if (operation.operation === 'subscription') return 'maps'
  let least: Class | undefined
  for (const selection of operation.selectionSet.selections) {
    const found =
      selection.kind === Kind.FIELD ? CLASS_OF[`${operation.operation}.${selection.name.value}`] : undefined
    if (!found) return 'browsing'
    if (!least || RANKS[found] > RANKS[least]) least = found
  }
  return least ?? 'browsing'
}
