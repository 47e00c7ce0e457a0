import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { App } from '../../src/app.ts'
import { isRedisOutage } from '../../src/redis/outage.ts'
import type { Fault } from '../../src/sale/faults.ts'
import { accountDigest } from '../../src/sale/tokens/digests.ts'
import type { PositionView } from '../../src/sale/waitingRoom/waitingRoom.ts'
import type { Database } from '../../src/sql/database.ts'
import { isDatabaseOutage } from '../../src/sql/outage.ts'
import type { TestEvent } from './event.ts'
import { placed, type TestFan } from './room.ts'

/** Trouble that passes, as clients are told it: see src/server/errors.ts. */
export function isPassing(error: unknown): boolean {
  const { code } = error as Fault
  return (
    code === 'OVERLOADED' || code === 'REQUEST_IN_PROGRESS' || isDatabaseOutage(error) || isRedisOutage(error)
  )
}

export interface Told {
  readonly who: TestFan
  readonly arrival: number
  readonly queueToken: string
  /** Null until the draw. */
  readonly place: number | null
}

/** Everything that fans of one line were told, each time held against what they were told before. */
export function testLine(event: Pick<TestEvent, 'id'>) {
  const told = new Map<string, Told>()

  function hear(who: TestFan, answer: object): PositionView {
    const position = placed(answer)
    const { arrival, queueToken, place } = position
    const before = told.get(who.account.id)
    if (before) {
      expect(arrival, 'the arrival index of before').toBe(before.arrival)
      if (place !== null) expect(place, 'the place of before').toBe(before.place ?? place)
    }
    told.set(who.account.id, { who, arrival, queueToken, place: place ?? before?.place ?? null })
    return position
  }

  async function join({ waitingRoom }: App, who: TestFan): Promise<PositionView> {
    return hear(who, await waitingRoom.join(who, { eventId: event.id }))
  }

  async function ask({ waitingRoom }: App, who: TestFan): Promise<PositionView> {
    const { queueToken } = told.get(who.account.id) as Told
    return hear(who, await waitingRoom.position(queueToken, who))
  }

  return {
    event,
    told,
    join,
    /** Takes the turn where it has come. */
    ask,
    /** Without the account: a turn that has come stays. */
    look: async ({ waitingRoom }: App, who: TestFan): Promise<PositionView> => {
      const { queueToken } = told.get(who.account.id) as Told
      return hear(who, await waitingRoom.position(queueToken, { ...who, account: null }))
    },
    /** As clients do. */
    persist: (app: App, who: TestFan) => persist(() => join(app, who)),
    /** The rooms' row, and what must hold of the journal whenever nobody is joining. */
    async room({ pool }: Database): Promise<RoomFacts> {
      const { rows: places } = await pool.query<{ arrival: number; account: Buffer }>(
        'select arrival, account from places where event_id = $1',
        [event.id],
      )
      const byArrival = new Map(places.map(({ arrival, account }) => [arrival, account]))
      for (const [account, { arrival }] of told)
        expect(byArrival.get(arrival), `the place of ${account}`).toEqual(accountDigest(event.id, account))
      expect(new Set(Array.from(told.values(), ({ arrival }) => arrival)).size).toBe(told.size)
      expect(new Set(places.map(({ account }) => account.toString('hex'))).size).toBe(places.length)
      const { rows } = await pool.query<RoomFacts>(
        `select encode(seed, 'hex') as seed, commitment, size, admitted_up_to as "admittedUpTo"
         from rooms where event_id = $1`,
        [event.id],
      )
      return rows[0] as RoomFacts
    },
  }
}

export type TestLine = ReturnType<typeof testLine>

export interface RoomFacts {
  readonly seed: string
  readonly commitment: string
  readonly size: number | null
  readonly admittedUpTo: number
}

/** Again, ever less often, for as long as the answer is that it passes: whoever knocks too often is turned away. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let wait = 50; ; wait = Math.min(2 * wait, 5_000)) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error)) throw error
      await sleep(wait)
    }
  }
}
