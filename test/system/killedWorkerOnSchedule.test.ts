import { describe, expect, test } from 'vitest'
import { runOut, testAccount } from '../support/checkout.ts'
import { insertEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { until } from '../support/jobs.ts'
import { killedWorkers } from '../support/killedWorkers.ts'

const { db, app, kill, killPoints, carryOn, hold, expectSettled } = await killedWorkers()

describe('a worker killed in expireHolds', () => {
  test.each(killPoints('before holds sweep', 'after holds sweep'))(
    '%s: the seats are free, and the map shows it',
    async (point) => {
      const event = await insertEvent(db)
      const held = await hold(testAccount(), event, [7, 8])
      await app.seatMap.section(event.id, 1)
      await runOut(db, held)
      await kill(point)
      await carryOn()
      await until(
        async () =>
          (await db.sql('select 1 from holds where event_id = $1 and outcome is null', [event.id])).length ===
          0,
        'the sweep',
      )
      await until(async () => (await app.seatMap.counts(event.id)).available === 40, 'the map')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in rebuildMaps', () => {
  test.each(killPoints('before seatMap rebuildHot', 'after seatMap rebuildHot'))(
    '%s: the map comes back',
    async (point) => {
      const event = await insertEvent(db)
      await hold(testAccount(), event, [9, 10, 11])
      await kill(point)
      await app.redis.flushall()
      await carryOn()
      await until(async () => (await app.seatMap.counts(event.id)).held === 3, 'the map')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in callPlaces', () => {
  test.each(killPoints('before pacer tick', 'after pacer tick'))(
    '%s: the ticks go on, and no fan is called twice',
    async (point) => {
      const event = await insertEvent(db, { waitingRoom: true, rate: 2 })
      for (let i = 0; i < 12; i++) {
        await app.waitingRoom.join(
          { account: testAccount(), deviceId: `device-${i}-of-this-test`, admissionToken: null },
          { eventId: event.id },
        )
      }
      await kill(point)
      await carryOn()
      const admitted = async () =>
        (await db.sql('select admitted_up_to from rooms where event_id = $1', [event.id]))[0]?.admitted_up_to
      await until(async () => (await admitted()) === 12, 'every fan to be called')
      // At most one tick a second: the kill does not break the operator's rate.
      const calls = await db.sql<{ called: number; seconds: number }>(
        `select admitted_up_to - lag(admitted_up_to, 1, 0) over (order by tick) as called,
            coalesce(extract(epoch from at - lag(at) over (order by tick)), 1)::float8 as seconds
           from calls where event_id = $1 order by tick`,
        [event.id],
      )
      expect(calls.map(({ called }) => called)).toEqual([2, 2, 2, 2, 2, 2])
      expect(Math.min(...calls.map(({ seconds }) => seconds))).toBeGreaterThan(0.89)
      await expectInvariants(db, event.id)
    },
  )
})

test.each([1, -1])(
  'a worker whose clock is %i hour wrong dies: every schedule goes on by the other clocks',
  async (hoursOff) => {
    const event = await insertEvent(db)
    await runOut(db, await hold(testAccount(), event, [1]))
    // By now BullMQ has scheduled the next run by the killed worker's clock.
    await kill('before holds sweep', { hoursOff })
    const rounds = { sweep: 0, rebuild: 0 }
    const count = (round: keyof typeof rounds, eventId: string) => {
      if (eventId === event.id) rounds[round]++
      return 0
    }
    const counting = {
      ...app,
      holds: { sweep: async (eventId: string) => count('sweep', eventId) },
      seatMap: {
        ...app.seatMap,
        rebuildHot: async (eventId: string) => ({ differed: count('rebuild', eventId) }),
      },
    }
    await carryOn(counting)
    // The killed run is repeated, whatever the clocks say.
    await until(() => rounds.sweep >= 3 && rounds.rebuild >= 3, 'further rounds')
  },
)
