import {
  allowanceOf,
  paceStep,
  seatsPerPlace,
  shareUnpaid,
  shareUnpaidLate,
  ticketsPerOrder,
} from '../../src/sale/pacer/pace.ts'
import { advanceChances, type Chances, countSearching, MARKS } from '../../src/sale/pacer/searching.ts'
import type { Room } from '../../src/sale/room/room.ts'
import type { SaleView } from '../../src/sale/saleView.ts'
import { outlookOf } from '../../src/sale/waitingRoom/position.ts'

/** A sale on a virtual clock. Shares are from 0 to 1; times are in seconds. */
export interface SimulatedSale {
  readonly seats: number
  /** The most places that are called in a second. */
  readonly rate: number
  readonly noShows: number
  /** The share of the fans who come in and then leave at once without a sign. */
  readonly ghosts: number
  readonly holdsUnpaid: number
  /** While the line is closed, no pacer ticks and no fan comes in. Fans who are inside carry on. */
  readonly outage?: { readonly from: number; readonly seconds: number }
  /** Accounts at the front of the line that hold four seats as soon as they can, never pay, and hold again. */
  readonly hoarders?: number
  /** The seats that all of them may hold together, as the accounts of one address. Default: no limit. */
  readonly heldByHoarders?: number
}

export interface Course {
  /** When 95 percent of the seats were sold, and when all were; infinite where that did not happen. */
  readonly sold95: number
  readonly soldAll: number
  /** The most fans who searched for a seat at the same time while none was free. */
  readonly searchingFullHouse: number
  /** The longest time for which a seat was free and no fan inside or under way would search for one. */
  readonly idle: number
  /** The state after each second. */
  readonly seconds: readonly Second[]
}

type Second = Pick<Room, 'admittedUpTo' | 'seatsPerPlace' | 'unpaidShare'> & {
  readonly available: number
  readonly held: number
  readonly tickets: number
}

/**
 * How the simulation counts fans who were called and have not bought. `rule`: as the pacer does. `each in full`: the same, but
 * every searcher counts as one until the admission ends. `all inside`: holders count, too. `all called`: also called fans who
 * have not come in, until their turn lapses. `available alone`: as the pacer does, but seats count only once they are back.
 */
export type Counting = 'rule' | 'each in full' | 'all inside' | 'all called' | 'available alone'

interface Shopper {
  readonly calledAt: number
  /** In the line's own time: see LONGEST_GAP. */
  readonly calledAtOwn: number
  readonly party: number
  cameAt: number
  expiresAt: number
  over: boolean
  gone: boolean
  holds: boolean
  firstHoldAt: number
  searchesSince: number
  readonly hoards: boolean
}

/** A called fan comes within 15 s, searches for half a minute on average, and pays in one to four minutes. */
const COMES = 15
const LOOKS = 30
const PAYS = [60, 240] as const
const HOLD = 600
const LATE = 30
/** A script looks this often, and each of its accounts may let five holds end unpaid; then it waits: begin_hold.sql. */
const LOOKS_AGAIN = 2
const UNPAID_HOLDS = 5
const ADMISSION = 600
const TURN = 600
const UNDER_WAY = 30
/** The most that a gap between two ticks counts, as in sql/room/advance.ts. */
const LONGEST_GAP = 10
/** A client that finds the line closed retries within this many seconds. */
const COMES_BACK = 6
const SHARE_WINDOW = 300
const WAITING = 50_000

/**
 * Simulates `sale` with the pacer's own functions. The figures that the pacer reads from SQL are counted from the simulated
 * fans. Each fan wants one to four seats. Half of the unpaid holds are released, and half expire. A fan who finds too few
 * seats takes those that are free, or searches again every few seconds for half a minute to five minutes, and then leaves;
 * one in ten leaves without a sign.
 */
export function simulate(sale: SimulatedSale, counting: Counting, k: number, random: () => number): Course {
  const { outage = { from: Infinity, seconds: 0 } } = sale
  const shoppers: Shopper[] = []
  const agenda = createAgenda()
  let inside: Shopper[] = []
  let now = 0
  let available = sale.seats
  let orders = 0
  let tickets = 0
  let ended = 0
  let unpaid = 0
  let late = 0
  let hoarded = 0
  /** The ends of holds that nothing ends before, and their seats. */
  const runningOut: { end: number; seats: number }[] = []
  const seconds: Second[] = []
  const course = { sold95: Infinity, soldAll: Infinity, searchingFullHouse: 0, idle: 0, seconds }
  const between = (low: number, high: number) => low + random() * (high - low)
  const after = (seconds: number, run: () => void) => agenda.add(now + seconds, run)

  function call() {
    const shopper: Shopper = {
      calledAt: now,
      calledAtOwn: ownTime(),
      party: 1 + Math.floor(random() * 4),
      cameAt: Infinity,
      expiresAt: 0,
      over: false,
      gone: random() < sale.ghosts,
      holds: false,
      firstHoldAt: Infinity,
      searchesSince: 0,
      hoards: shoppers.length < (sale.hoarders ?? 0),
    }
    shoppers.push(shopper)
    if (shopper.hoards) {
      after(0.5, () => comeIn(shopper))
      return
    }
    if (random() < sale.noShows) return
    after(between(0.5, COMES), () => comeIn(shopper))
  }

  function comeIn(shopper: Shopper) {
    if (isClosed(now)) {
      after(between(2, COMES_BACK), () => comeIn(shopper))
      return
    }
    shopper.cameAt = now
    shopper.searchesSince = now
    shopper.expiresAt = now + ADMISSION
    inside.push(shopper)
    if (shopper.hoards) {
      hoard(shopper, 0)
      return
    }
    after(LOOKS * (0.25 - 0.75 * Math.log(1 - random())), () => choose(shopper, now + between(30, 300)))
  }

  function isClosed(at: number): boolean {
    return at >= outage.from && at < outage.from + outage.seconds
  }

  function ownTime(): number {
    return now - (now < outage.from ? 0 : Math.max(0, outage.seconds - LONGEST_GAP))
  }

  /** Holds again and again. Its script keeps the admission, and no fan searches faster. */
  function hoard(shopper: Shopper, before: number) {
    const room = Math.min(available, (sale.heldByHoarders ?? Infinity) - hoarded)
    if (room < 4) {
      if (shopper.expiresAt > now) after(between(0.5, LOOKS_AGAIN), () => hoard(shopper, before))
      return
    }
    available -= 4
    hoarded += 4
    shopper.holds = true
    shopper.firstHoldAt = Math.min(shopper.firstHoldAt, now)
    const life = HOLD * between(1, 1.1)
    shopper.expiresAt = Math.max(shopper.expiresAt, now + life + 1)
    runningOut.push({ end: now + life, seats: 4 })
    after(life, () => {
      available += 4
      hoarded -= 4
      shopper.holds = false
      shopper.searchesSince = now
      ended++
      unpaid++
      late++
      const wait = before + 1 < UNPAID_HOLDS ? 0 : 2 * UNPAID_HOLDS * HOLD
      after(wait + between(0, LOOKS_AGAIN), () => hoard(shopper, before + 1))
    })
  }

  function choose(shopper: Shopper, until: number) {
    if (shopper.gone || shopper.over || shopper.expiresAt <= now) return
    const takes = available >= shopper.party ? shopper.party : available > 0 && random() < 0.5 ? available : 0
    if (takes > 0) hold(shopper, takes)
    else if (now < until) after(between(3, 8), () => choose(shopper, until))
    else if (random() < 0.1) shopper.gone = true
    else shopper.over = true
  }

  function hold(shopper: Shopper, seats: number) {
    available -= seats
    shopper.holds = true
    shopper.firstHoldAt = Math.min(shopper.firstHoldAt, now)
    const end = HOLD * between(1, 1.1)
    shopper.expiresAt = Math.max(shopper.expiresAt, now + end)
    const release = (seconds: number, run: () => void) =>
      after(seconds, () => {
        shopper.holds = false
        shopper.searchesSince = now
        ended++
        run()
      })
    const giveBack = () => {
      available += seats
      unpaid++
      shopper.gone = true
    }
    if (random() >= sale.holdsUnpaid) release(between(...PAYS), () => sell(shopper, seats))
    else if (random() < 0.5)
      release(between(...PAYS), () => {
        giveBack()
        shopper.over = true
      })
    else {
      runningOut.push({ end: now + end, seats })
      release(end, () => {
        late++
        giveBack()
      })
    }
  }

  function sell(shopper: Shopper, seats: number) {
    shopper.over = true
    orders++
    tickets += seats
    if (tickets >= 0.95 * sale.seats) course.sold95 = Math.min(course.sold95, now)
    if (tickets === sale.seats) course.soldAll = now
  }

  let chances: Chances = { seconds: 0, marks: [] }
  let calledBefore = 0
  let searches = { searched: [] as number[], took: [] as number[] }
  let idleSince = 0

  /** The same as countSearches in history.ts. */
  function countSearches(marks: readonly number[]) {
    const counts = { searched: Array(MARKS + 1).fill(0), took: Array(MARKS + 1).fill(0) }
    const from = marks.length < MARKS ? -1 : (marks[0] as number)
    for (let i = shoppers.length - 1; i >= 0; i--) {
      const { calledAt, cameAt, firstHoldAt, expiresAt, over } = shoppers[i] as Shopper
      if (calledAt < from - TURN) break
      if (cameAt === Infinity || cameAt <= from) continue
      const end = Math.min(firstHoldAt, over ? cameAt : expiresAt, now)
      const passed = marksSince(marks, cameAt) - marksSince(marks, end)
      for (let mark = 0; mark <= passed; mark++) counts.searched[mark]++
      if (firstHoldAt <= end) counts.took[passed]++
    }
    return counts
  }

  function step(tick: number): number {
    const recentFrom = ownTime() - UNDER_WAY
    while (calledBefore < shoppers.length && (shoppers[calledBefore] as Shopper).calledAtOwn <= recentFrom)
      calledBefore++
    const came = shoppers
      .slice(Math.max(0, calledBefore - SHARE_WINDOW), calledBefore)
      .filter(({ cameAt }) => cameAt < Infinity).length
    const calledRecently = shoppers.slice(calledBefore)
    const isLimited = (sale.heldByHoarders ?? Infinity) - hoarded < 4
    const searchers = inside.filter(({ holds, hoards }) => !holds && !(hoards && isLimited))
    const marks = chances.marks.map((mark) => mark.getTime() / 1_000)
    if (tick % 5 === 0) searches = countSearches(marks)
    const byMarks = Array(MARKS + 1).fill(0)
    for (const { searchesSince } of searchers) byMarks[marksSince(marks, searchesSince)]++
    let searching = countSearching(byMarks, searches)
    if (counting === 'each in full') searching = searchers.length
    if (counting === 'all inside') searching = inside.length
    if (counting === 'all called') {
      const lapsed = shoppers.findIndex(({ calledAt }) => calledAt > now - TURN)
      const notIn = lapsed < 0 ? 0 : shoppers.slice(lapsed).filter(({ cameAt }) => cameAt === Infinity).length
      searching = searchers.length + notIn
    }
    const possibleOrders = Math.ceil(available / ticketsPerOrder({ orders, tickets }))
    chances = advanceChances(chances, 1, { orders: possibleOrders, searching }, new Date(now * 1_000))
    const returning = runningOut
      .filter(({ end }) => end > now && end <= now + LATE)
      .reduce((sum, { seats }) => sum + seats, 0)
    return paceStep({
      available,
      returning: counting === 'available alone' ? 0 : returning * shareUnpaidLate({ late, lateUnpaid: late }),
      orders,
      tickets,
      searching,
      calledRecently: counting === 'all called' ? 0 : calledRecently.length,
      cameRecently: calledRecently.filter(({ cameAt }) => cameAt < Infinity).length,
      called: Math.min(calledBefore, SHARE_WINDOW),
      came,
      waiting: WAITING - shoppers.length,
      allowance: allowanceOf(sale.rate, tick),
      shoppersPerOrder: k,
    })
  }

  function currentSecond(): Second {
    const held = sale.seats - available - tickets
    const unpaidShare = shareUnpaid({ ended, unpaid })
    const called = inside.filter(({ holds }) => !holds).length
    return {
      admittedUpTo: shoppers.length,
      available,
      held,
      tickets,
      unpaidShare,
      seatsPerPlace: seatsPerPlace({
        taken: tickets + held * (1 - unpaidShare),
        called: Math.max(0, calledBefore - called),
      }),
    }
  }

  /** For the other ways to count, the tests compare only the time of 95 percent. */
  const isDone = () => course[counting === 'rule' ? 'soldAll' : 'sold95'] < Infinity

  for (let tick = 0; tick < 7_200 && !isDone(); tick++) {
    for (let next = agenda.next(tick); next; next = agenda.next(tick)) {
      now = next.at
      next.run()
    }
    now = tick
    inside = inside.filter(({ over, expiresAt }) => !over && expiresAt > now)
    const looking = inside.filter(({ gone, holds }) => !gone && !holds).length
    if (available === 0) course.searchingFullHouse = Math.max(course.searchingFullHouse, looking)
    if (!isClosed(now)) for (let left = step(tick); left > 0; left--) call()
    seconds.push(currentSecond())
    const coming = shoppers
      .slice(calledBefore)
      .some(({ cameAt, calledAt }) => cameAt === Infinity && now - calledAt < COMES)
    if (available === 0 || looking > 0 || coming || isClosed(now)) idleSince = now
    course.idle = Math.max(course.idle, now - idleSince)
  }
  return course
}

/**
 * Returns the error of the estimate at half of the wait, as a share of the remaining wait, for every tenth place that waited
 * for two minutes or more. Places without an estimate are left out.
 */
export function halfwayErrors({ rate }: SimulatedSale, { seconds }: Course): number[] {
  const errors: number[] = []
  const admittedAt = (second: number) => seconds[second]?.admittedUpTo ?? 0
  for (let place = 1, calledAt = 0; place <= admittedAt(seconds.length - 1); place += 10) {
    while (admittedAt(calledAt) < place) calledAt++
    if (calledAt < 120) continue
    const halfway = Math.floor(calledAt / 2)
    const { available, held, tickets: _, ...second } = seconds[halfway] as Second
    const worked = halfway + 1
    const room = { ...second, worked, admittedBefore: admittedAt(worked - 61), rate, paused: false } as Room
    const sale = { paused: false, counts: { available, held } } as SaleView
    const { estimatedWaitSeconds: wait } = outlookOf(sale, room, place)
    if (wait !== null) errors.push(Math.abs(wait / (calledAt - halfway) - 1))
  }
  return errors
}

function marksSince(marks: readonly number[], time: number): number {
  let count = 0
  for (let i = marks.length - 1; i >= 0 && (marks[i] as number) > time; i--) count++
  return count
}

/** The events to come, ordered by time: a binary heap. */
function createAgenda() {
  const heap: { at: number; run(): void }[] = []
  const at = (i: number) => (heap[i] as { at: number }).at
  const swap = (i: number, j: number) => {
    ;[heap[i], heap[j]] = [heap[j] as (typeof heap)[0], heap[i] as (typeof heap)[0]]
  }
  return {
    add(time: number, run: () => void) {
      let i = heap.push({ at: time, run }) - 1
      for (let parent = (i - 1) >> 1; i > 0 && at(parent) > at(i); parent = (i - 1) >> 1) {
        swap(i, parent)
        i = parent
      }
    },
    /** Removes and returns the first event that is due by `until`; undefined where there is none. */
    next(until: number) {
      if (heap.length === 0 || at(0) > until) return undefined
      swap(0, heap.length - 1)
      const first = heap.pop()
      for (let i = 0; ; ) {
        const [left, right] = [2 * i + 1, 2 * i + 2]
        let least = left < heap.length && at(left) < at(i) ? left : i
        if (right < heap.length && at(right) < at(least)) least = right
        if (least === i) return first
        swap(i, least)
        i = least
      }
    },
  }
}
