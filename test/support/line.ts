import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { App } from '../../src/app.ts'
import { isRedisOutage } from '../../src/redis/outage.ts'
import type { Fault } from '../../src/sale/faults.ts'
import { accountDigest } from '../../src/sale/tokens/digests.ts'
import type { PositionView } from '../../src/sale/waitingRoom/waitingRoom.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { isDatabaseOutage } from '../../src/sql/database/outage.ts'
import type { TestEvent } from './event.ts'
import { placed, type TestFan } from './room.ts'

/** True for an error that means a temporary outage, in any form in which clients see one: see src/server/graphql/outcomes.ts. */
export function isTemporary(error: unknown): boolean {
  const { code } = error as Fault
  return (
    code === 'OVERLOADED' || code === 'REQUEST_IN_PROGRESS' || isDatabaseOutage(error) || isRedisOutage(error)
  )
}

export interface LastAnswer {
  readonly who: TestFan
  readonly arrival: number
  readonly queueToken: string
  /** Null until the draw. */
  readonly place: number | null
}

/** The fans of one line. It checks each answer that a fan receives against the fan's earlier answers. */
export function testLine(event: Pick<TestEvent, 'id'>) {
  const answers = new Map<string, LastAnswer>()

  function record(who: TestFan, answer: object): PositionView {
    const position = placed(answer)
    const { arrival, queueToken, place } = position
    const before = answers.get(who.account.id)
    if (before) {
      expect(arrival, 'the same arrival index as before').toBe(before.arrival)
      if (place !== null) expect(place, 'the same place as before').toBe(before.place ?? place)
    }
    answers.set(who.account.id, { who, arrival, queueToken, place: place ?? before?.place ?? null })
    return position
  }

  async function join({ waitingRoom }: App, who: TestFan): Promise<PositionView> {
    return record(who, await waitingRoom.join(who, { eventId: event.id }))
  }

  async function ask({ waitingRoom }: App, who: TestFan): Promise<PositionView> {
    const { queueToken } = answers.get(who.account.id) as LastAnswer
    return record(who, await waitingRoom.position(queueToken, who))
  }

  return {
    event,
    /** The last answer of each fan, by account. */
    answers,
    join,
    /** Reads the position, and takes the turn of a called place. */
    ask,
    /** Reads the position without the account, so that the turn of a called place is not taken. */
    look: async ({ waitingRoom }: App, who: TestFan): Promise<PositionView> => {
      const { queueToken } = answers.get(who.account.id) as LastAnswer
      return record(who, await waitingRoom.position(queueToken, { ...who, account: null }))
    },
    /** Joins, and retries as clients do. */
    persist: (app: App, who: TestFan) => persist(() => join(app, who)),
    /** Returns the room's row, after checking what must be true for the journal while no fan is joining. */
    async room({ pool }: Database): Promise<RoomFacts> {
      // A join of an outage may be answered while the rows are read; every earlier answer is in the journal.
      const answered = new Map(answers)
      const { rows: places } = await pool.query<{ arrival: number; account: Buffer }>(
        'select arrival, account from places where event_id = $1',
        [event.id],
      )
      const byArrival = new Map(places.map(({ arrival, account }) => [arrival, account]))
      for (const [account, { arrival }] of answered)
        expect(byArrival.get(arrival), `the place of ${account}`).toEqual(accountDigest(event.id, account))
      expect(new Set(Array.from(answered.values(), ({ arrival }) => arrival)).size).toBe(answered.size)
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

/** Retries `work` during a temporary outage. The waits grow, since too many calls are refused. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let wait = 50; ; wait = Math.min(2 * wait, 5_000)) {
    try {
      return await work()
    } catch (error) {
      if (!isTemporary(error)) throw error
      await sleep(wait)
    }
  }
}
