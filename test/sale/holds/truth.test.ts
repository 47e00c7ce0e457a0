import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { NotEnoughAvailable, SeatsTaken } from '../../../src/sale/refusals.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'

/** The history of every seat, written as each transaction begins to commit. */
const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const holdsOf = (i: number) => (processes[i % 2] as (typeof processes)[0]).holds

beforeAll(() =>
  database.sql(`
    create table seat_history (at float8, event_id text, no int, taken boolean);
    create function log_seat() returns trigger language plpgsql as $$
    begin
      insert into seat_history
      values (extract(epoch from clock_timestamp()) * 1000, new.event_id, new.no, new.status <> 0);
      return null;
    end $$;
    create constraint trigger log_seat after update of status on seats
      deferrable initially deferred for each row when (old.status is distinct from new.status) execute function log_seat()`),
)

interface Refused {
  what: readonly number[]
  from: number
  to: number
}

/** Milliseconds on the clock that the database's is too. */
const now = () => performance.timeOrigin + performance.now()

/** True for a seat that nobody had, as far as its history tells, at any time between `from` and `to`. */
async function freeThroughout(event: TestEvent) {
  const rows = await database.sql<{ at: number; no: number; taken: boolean }>(
    'select at, no, taken from seat_history where event_id = $1 order by at',
    [event.id],
  )
  const changes = Map.groupBy(rows, ({ no }) => no)
  return (no: number, from: number, to: number) => {
    let taken = false
    for (const change of changes.get(no) ?? []) {
      if (change.at > to) break
      if (change.at > from && (taken || change.taken)) return false
      taken = change.taken
    }
    return !taken
  }
}

describe('40 buyers of random blocks in one row', () => {
  test('fewer than 0.5 percent of the refusals name a seat that stayed free through the request', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 20 }] })
    const random = seededRandom()
    const refused: Refused[] = []
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 30; n++) {
        const size = 1 + Math.floor(random() * 4)
        const first = 1 + Math.floor(random() * (21 - size))
        const from = now()
        const seats = Array.from({ length: size }, (_, k) => first + k)
        const result = await ask(holdsOf(i), account, event, seats)
        if (isHold(result)) {
          await sleep(random() * 5)
          await holdsOf(i + 1).release(account, result.id)
        } else {
          const named = (result as SeatsTaken).unavailable.map((id) => Number(id.split('_')[2]))
          expect(result).toBeInstanceOf(SeatsTaken)
          expect(named.length).toBeGreaterThan(0)
          refused.push({ what: named, from, to: now() })
        }
      }
    })
    const isFree = await freeThroughout(event)
    const untrue = refused.filter(({ what, from, to }) => what.some((no) => isFree(no, from, to)))
    console.log(`${refused.length} refusals, ${untrue.length} of seats that stayed free`)
    expect(refused.length).toBeGreaterThan(100)
    expect(untrue.length).toBeLessThan(0.005 * refused.length)
    await expectInvariants(database, event.id)
  })

  test('nobody is told that there is not enough while a block stays free through the request', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 20 }] })
    const random = seededRandom()
    const refused: Refused[] = []
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 20; n++) {
        const quantity = 1 + Math.floor(random() * 4)
        const from = now()
        const result = await askFor(holdsOf(i), account, event, { bestAvailable: { quantity } })
        if (isHold(result)) {
          await sleep(random() * 5)
          await holdsOf(i + 1).release(account, result.id)
        } else {
          expect(result).toBeInstanceOf(NotEnoughAvailable)
          refused.push({ what: [quantity], from, to: now() })
        }
      }
    })
    const isFree = await freeThroughout(event)
    const untrue = refused.filter(({ what: [quantity = 0], from, to }) =>
      event.seatNos.some(
        (first) =>
          first + quantity <= 21 &&
          Array.from({ length: quantity }, (_, k) => first + k).every((no) => isFree(no, from, to)),
      ),
    )
    console.log(`${refused.length} refusals, ${untrue.length} while a block stayed free`)
    expect(refused.length).toBeGreaterThan(50)
    expect(untrue.length).toBeLessThan(0.005 * refused.length)
    await expectInvariants(database, event.id)
  })
})
