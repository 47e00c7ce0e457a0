import { type DocumentNode, getOperationAST, Kind } from 'graphql'
import { runInSlices } from '../../async/eventLoop.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { overloaded } from '../../sale/faults.ts'
import type { Metrics } from '../metrics/metrics.ts'

/** Kinds of work, those that outlive the others first; the last two by turns. */
export const CLASSES = ['checkout', 'holds', 'maps', 'browsing', 'joins'] as const
export type Class = (typeof CLASSES)[number]

/** What one class may take of a process. */
export interface Limits {
  /** Operations under way. */
  readonly running: number
  readonly queued: number
  /** Nobody is queued behind one who has waited for so long. */
  readonly patienceSeconds: number
}

/**
 * A process under a flood serves what matters first: checkout outlives holds, holds outlive maps, maps outlive browsing and
 * joining. Whoever cannot be served soon is told at once, before anybody looks at who it is.
 */
export interface Priority {
  /**
   * Runs the work when its class has its turn, which is now unless there is a crowd. Throws OVERLOADED where its queue is
   * full or stands still; the work was not begun then, and may be tried again.
   */
  run<T>(of: Class, work: () => MaybePromise<T>): Promise<T>
  /** How many of each class are under way, and wait. */
  figures(): readonly { readonly of: Class; readonly underWay: number; readonly waiting: number }[]
}

/**
 * What waits for a connection to the database waits behind the others that do, so a class may have as many under way as the
 * pool serves within milliseconds. Joins wait for the journal together and take one connection for all of them.
 */
export function limitsFor(connections: number): Record<Class, Limits> {
  return {
    checkout: { running: 4 * connections, queued: 500, patienceSeconds: 2 },
    holds: { running: 2 * connections, queued: 2_000, patienceSeconds: 2 },
    maps: { running: 5 * connections, queued: 5_000, patienceSeconds: 2 },
    browsing: { running: 3 * connections, queued: 1_000, patienceSeconds: 2 },
    joins: { running: 500, queued: 20_000, patienceSeconds: 10 },
  }
}

/** Of one who waits for a turn. */
interface Waiting {
  readonly since: number
  begin(): void
  next?: Waiting
}

interface Lane extends Limits {
  readonly of: Class
  readonly rank: number
  underWay: number
  waiting: number
  first?: Waiting
  last?: Waiting
  /** When it was last served, as a count: of two lanes of one rank it is the other's turn. */
  servedAt: number
}

const RANKS: Readonly<Record<Class, number>> = { checkout: 0, holds: 1, maps: 2, browsing: 3, joins: 3 }

export interface PriorityDeps {
  limits: Readonly<Record<Class, Limits>>
  onRefused?(of: Class): void
  now?(): number
}

export function createPriority({
  limits,
  onRefused = () => {},
  now = () => performance.now(),
}: PriorityDeps): Priority {
  const lanes: readonly Lane[] = CLASSES.map((of) => ({
    ...limits[of],
    of,
    rank: RANKS[of],
    underWay: 0,
    waiting: 0,
    servedAt: 0,
  }))
  const laneOf = Object.fromEntries(lanes.map((lane) => [lane.of, lane])) as Record<Class, Lane>
  let served = 0
  let isServing = false

  function nextLane(): Lane | undefined {
    let next: Lane | undefined
    for (const lane of lanes) {
      if (!lane.first || lane.underWay >= lane.running) continue
      if (!next || (lane.rank === next.rank && lane.servedAt < next.servedAt)) next = lane
    }
    return next
  }

  /** False where nobody may begin now. */
  function serveNext(): boolean {
    const lane = nextLane()
    isServing = lane !== undefined
    if (!lane) return false
    const { first } = lane as { first: Waiting }
    lane.first = first.next
    lane.waiting--
    lane.servedAt = ++served
    first.begin()
    return true
  }

  function serve() {
    if (isServing || !nextLane()) return
    isServing = true
    setImmediate(runInSlices, serveNext)
  }

  function end(lane: Lane) {
    lane.underWay--
    if (lane.first) serve()
  }

  /** What is done at once has ended at once. */
  function begin<T>(lane: Lane, work: () => MaybePromise<T>): MaybePromise<T> {
    lane.underWay++
    let done: MaybePromise<T>
    try {
      done = work()
    } catch (error) {
      end(lane)
      throw error
    }
    if (done instanceof Promise) return done.finally(() => end(lane))
    end(lane)
    return done
  }

  return {
    run(of, work) {
      const lane = laneOf[of]
      const { first, patienceSeconds } = lane
      if (
        lane.waiting + lane.underWay >= lane.queued + lane.running ||
        (first && now() - first.since > patienceSeconds * 1_000)
      ) {
        onRefused(of)
        // Those who were refused together do not come back together.
        return Promise.reject(overloaded((patienceSeconds / 2) * (1 + Math.random())))
      }
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          since: now(),
          begin() {
            try {
              resolve(begin(lane, work))
            } catch (error) {
              reject(error)
            }
          },
        }
        if (lane.first) (lane.last as Waiting).next = waiting
        else lane.first = waiting
        lane.last = waiting
        lane.waiting++
        serve()
      })
    },
    figures: () => lanes,
  }
}

/** The priority of an API process, told in its metrics. */
export function watchedPriority(connections: number, metrics: Metrics): Priority {
  const priority = createPriority({ limits: limitsFor(connections), onRefused: metrics.turnedAway })
  const figures = (of: 'underWay' | 'waiting') => async () =>
    priority.figures().map((lane) => [{ class: lane.of }, lane[of]] as const)
  metrics.gaugeOf(
    'fairgate_operations_running',
    'Operations that are under way, by class.',
    ['class'],
    figures('underWay'),
  )
  metrics.gaugeOf(
    'fairgate_operations_queued',
    'Operations that wait for their turn, by class.',
    ['class'],
    figures('waiting'),
  )
  return priority
}

/**
 * By root field; what is not named is browsing. Ops turn the rate down or stop a sale when it is needed most, with checkout.
 * What those inside look at is a map or is asked as often.
 */
const CLASS_OF: Readonly<Record<string, Class>> = {
  'mutation.checkout': 'checkout',
  'mutation.setAdmission': 'checkout',
  'mutation.updateSale': 'checkout',
  'mutation.revealBeacon': 'checkout',
  'mutation.hold': 'holds',
  'mutation.releaseHold': 'holds',
  'mutation.blockSeats': 'holds',
  'mutation.unblockSeats': 'holds',
  'query.event': 'maps',
  'query.queuePosition': 'maps',
  'query.hold': 'maps',
  'query.order': 'maps',
  'mutation.leaveQueue': 'maps',
  'mutation.joinQueue': 'joins',
}

/** The class of an operation, by what it asks for first; a subscription is a map that goes on. */
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
