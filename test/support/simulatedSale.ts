import {
  allowanceOf,
  paceStep,
  seatsPerPlace,
  shareUnpaid,
  ticketsPerOrder,
} from '../../src/sale/pacer/pace.ts'
import { type Chances, countSearching, MARKS, passChances } from '../../src/sale/pacer/searching.ts'
import type { Room } from '../../src/sale/room/room.ts'
import type { SaleView } from '../../src/sale/saleView.ts'
import { estimateWait } from '../../src/sale/waitingRoom/position.ts'

/** A sale on a virtual clock. Shares from 0 to 1; times in seconds. */
export interface SimulatedSale {
  readonly seats: number
  /** Places called a second, at most. */
  readonly rate: number
  readonly noShows: number
  /** Of those who come in: they vanish at once, without a word. */
  readonly ghosts: number
  readonly holdsUnpaid: number
  /** The line is closed: nobody ticks and nobody comes in. Those inside go on. */
  readonly outage?: { readonly from: number; readonly seconds: number }
}

export interface Course {
  /** When 95 in 100 seats were sold, and when all; infinite where that never was. */
  readonly sold95: number
  readonly soldAll: number
  /** The most people at once who looked for a seat where none was free. */
  readonly searchingFullHouse: number
  /** The longest that a seat was free and nobody was inside or under way who would look for one. */
  readonly idle: number
  /** As each second left it. */
  readonly seconds: readonly Second[]
}

type Second = Pick<Room, 'admittedUpTo' | 'seatsPerPlace' | 'unpaidShare'> & {
  readonly available: number
  readonly held: number
}

/**
 * How those are counted who have been called and have not bought. `rule`: as the pacer does it. `each in full`: the
 * same with every searcher counted as one until his admission ends. `all called`: until they lapse.
 */
export type Counting = 'rule' | 'each in full' | 'all inside' | 'all called'

interface Person {
  readonly calledAt: number
  /** By the line's own time, see LONGEST_GAP. */
  readonly calledAtOwn: number
  readonly party: number
  cameAt: number
  expiresAt: number
  over: boolean
  gone: boolean
  holds: boolean
  firstHoldAt: number
  searchesSince: number
}

/** Once called they come within 15 s, look for half a minute on average, and pay in one to four minutes. */
const COMES = 15
const LOOKS = 30
const PAYS = [60, 240] as const
const HOLD = 600
const ADMISSION = 600
const TURN = 600
const UNDER_WAY = 30
/** What counts of a gap between two ticks, as in sql/rooms.ts. */
const LONGEST_GAP = 10
/** Whoever is told that the line is closed asks again within so many seconds. */
const COMES_BACK = 6
const SHARE_WINDOW = 300
const WAITING = 50_000

/**
 * Sells `sale` by the pacer's own functions, with the figures that SQL gives it counted from what happened.
 * Everybody wants one to four seats. Of holds unpaid half are given back and half run out. Who finds too few seats
 * takes those there are, or looks again every few seconds for half a minute to five minutes, and then leaves; one in
 * ten without a word.
 */
export function simulate(sale: SimulatedSale, counting: Counting, k: number, random: () => number): Course {
  const { outage = { from: Infinity, seconds: 0 } } = sale
  const people: Person[] = []
  const agenda = createAgenda()
  let inside: Person[] = []
  let now = 0
  let available = sale.seats
  let orders = 0
  let tickets = 0
  let ended = 0
  let unpaid = 0
  const seconds: Second[] = []
  const course = { sold95: Infinity, soldAll: Infinity, searchingFullHouse: 0, idle: 0, seconds }
  const between = (low: number, high: number) => low + random() * (high - low)
  const after = (seconds: number, run: () => void) => agenda.add(now + seconds, run)

  function call() {
    const person: Person = {
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
    }
    people.push(person)
    if (random() < sale.noShows) return
    after(between(0.5, COMES), () => comeIn(person))
  }

  function comeIn(person: Person) {
    if (isClosed(now)) {
      after(between(2, COMES_BACK), () => comeIn(person))
      return
    }
    person.cameAt = now
    person.searchesSince = now
    person.expiresAt = now + ADMISSION
    inside.push(person)
    after(LOOKS * (0.25 - 0.75 * Math.log(1 - random())), () => choose(person, now + between(30, 300)))
  }

  function isClosed(at: number): boolean {
    return at >= outage.from && at < outage.from + outage.seconds
  }

  function ownTime(): number {
    return now - (now < outage.from ? 0 : Math.max(0, outage.seconds - LONGEST_GAP))
  }

  function choose(person: Person, until: number) {
    if (person.gone || person.over || person.expiresAt <= now) return
    const takes = available >= person.party ? person.party : available > 0 && random() < 0.5 ? available : 0
    if (takes > 0) hold(person, takes)
    else if (now < until) after(between(3, 8), () => choose(person, until))
    else if (random() < 0.1) person.gone = true
    else person.over = true
  }

  function hold(person: Person, seats: number) {
    available -= seats
    person.holds = true
    person.firstHoldAt = Math.min(person.firstHoldAt, now)
    const end = HOLD * between(1, 1.1)
    person.expiresAt = Math.max(person.expiresAt, now + end)
    const release = (seconds: number, run: () => void) =>
      after(seconds, () => {
        person.holds = false
        person.searchesSince = now
        ended++
        run()
      })
    const giveBack = () => {
      available += seats
      unpaid++
      person.gone = true
    }
    if (random() >= sale.holdsUnpaid) release(between(...PAYS), () => sell(person, seats))
    else if (random() < 0.5)
      release(between(...PAYS), () => {
        giveBack()
        person.over = true
      })
    else release(end, giveBack)
  }

  function sell(person: Person, seats: number) {
    person.over = true
    orders++
    tickets += seats
    if (tickets >= 0.95 * sale.seats) course.sold95 = Math.min(course.sold95, now)
    if (tickets === sale.seats) course.soldAll = now
  }

  let chances: Chances = { seconds: 0, marks: [] }
  let calledBefore = 0
  let searches = { searched: [] as number[], took: [] as number[] }
  let idleSince = 0

  /** As countSearches in history.ts. */
  function countSearches(marks: readonly number[]) {
    const counts = { searched: Array(MARKS + 1).fill(0), took: Array(MARKS + 1).fill(0) }
    const from = marks.length < MARKS ? -1 : (marks[0] as number)
    for (let i = people.length - 1; i >= 0; i--) {
      const { calledAt, cameAt, firstHoldAt, expiresAt, over } = people[i] as Person
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
    const lately = ownTime() - UNDER_WAY
    while (calledBefore < people.length && (people[calledBefore] as Person).calledAtOwn <= lately)
      calledBefore++
    const came = people
      .slice(Math.max(0, calledBefore - SHARE_WINDOW), calledBefore)
      .filter(({ cameAt }) => cameAt < Infinity).length
    const calledLately = people.slice(calledBefore)
    const searchers = inside.filter(({ holds }) => !holds)
    const marks = chances.marks.map((mark) => mark.getTime() / 1_000)
    if (tick % 5 === 0) searches = countSearches(marks)
    const byMarks = Array(MARKS + 1).fill(0)
    for (const { searchesSince } of searchers) byMarks[marksSince(marks, searchesSince)]++
    let searching = countSearching(byMarks, searches)
    if (counting === 'each in full') searching = searchers.length
    if (counting === 'all inside') searching = inside.length
    if (counting === 'all called') {
      const lapsed = people.findIndex(({ calledAt }) => calledAt > now - TURN)
      const notIn = lapsed < 0 ? 0 : people.slice(lapsed).filter(({ cameAt }) => cameAt === Infinity).length
      searching = searchers.length + notIn
    }
    const toBeHad = Math.ceil(available / ticketsPerOrder({ orders, tickets }))
    chances = passChances(chances, 1, { orders: toBeHad, searching }, new Date(now * 1_000))
    return paceStep({
      available,
      orders,
      tickets,
      searching,
      calledLately: counting === 'all called' ? 0 : calledLately.length,
      cameLately: calledLately.filter(({ cameAt }) => cameAt < Infinity).length,
      called: Math.min(calledBefore, SHARE_WINDOW),
      came,
      waiting: WAITING - people.length,
      allowance: allowanceOf(sale.rate, tick),
      shoppersPerOrder: k,
    })
  }

  function lookAt(): Second {
    const held = sale.seats - available - tickets
    const unpaidShare = shareUnpaid({ ended, unpaid })
    const called = inside.filter(({ holds }) => !holds).length
    return {
      admittedUpTo: people.length,
      available,
      held,
      unpaidShare,
      seatsPerPlace: seatsPerPlace({
        taken: tickets + held * (1 - unpaidShare),
        called: Math.max(0, calledBefore - called),
      }),
    }
  }

  /** Of the others only the time of 95 percent is compared. */
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
    seconds.push(lookAt())
    const coming = people
      .slice(calledBefore)
      .some(({ cameAt, calledAt }) => cameAt === Infinity && now - calledAt < COMES)
    if (available === 0 || looking > 0 || coming || isClosed(now)) idleSince = now
    course.idle = Math.max(course.idle, now - idleSince)
  }
  return course
}

/**
 * Of every tenth place that waited for two minutes or more: by which share of the time left the estimate given at
 * half-way was wrong. Those who were given none are left out.
 */
export function halfwayErrors({ rate }: SimulatedSale, { seconds }: Course): number[] {
  const errors: number[] = []
  const admittedAt = (second: number) => seconds[second]?.admittedUpTo ?? 0
  for (let place = 1, calledAt = 0; place <= admittedAt(seconds.length - 1); place += 10) {
    while (admittedAt(calledAt) < place) calledAt++
    if (calledAt < 120) continue
    const halfway = Math.floor(calledAt / 2)
    const { available, held, ...second } = seconds[halfway] as Second
    const worked = halfway + 1
    const room = { ...second, worked, admittedBefore: admittedAt(worked - 61), rate, paused: false } as Room
    const sale = { paused: false, counts: { available, held } } as SaleView
    const wait = estimateWait(sale, room, place)
    if (wait !== null) errors.push(Math.abs(wait / (calledAt - halfway) - 1))
  }
  return errors
}

function marksSince(marks: readonly number[], time: number): number {
  let count = 0
  for (let i = marks.length - 1; i >= 0 && (marks[i] as number) > time; i--) count++
  return count
}

/** What is to happen when; a binary heap. */
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
    /** The first that is due until then; undefined where nothing is. */
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
