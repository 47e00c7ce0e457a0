import { importKeys, makeKeys } from '../../src/keys.ts'
import { createAdmissions } from '../../src/sale/admission/admissions.ts'
import type { Account } from '../../src/sale/caller.ts'
import type { BestAvailable, GeneralAdmission } from '../../src/sale/holds/holdInput.ts'
import type { HoldRefusal, Holds, HoldView } from '../../src/sale/holds/holds.ts'
import type { Rooms } from '../../src/sale/room/rooms.ts'
import { createTokens } from '../../src/sale/tokens/tokens.ts'
import type { Database } from '../../src/sql/database/database.ts'
import type { TestEvent } from './event.ts'

/** Requests a hold of seats by their numbers, in the given order, without an admission. */
export function ask(
  holds: Holds,
  account: Account,
  event: TestEvent,
  seatNos: readonly number[],
  idempotencyKey = `key-${Math.random()}`,
): Promise<HoldView | HoldRefusal> {
  return holds.hold(
    { account, deviceId: null, admissionToken: null },
    {
      eventId: event.id,
      seats: seatNos.map(event.seatId),
      idempotencyKey,
    },
  )
}

/** Requests a hold by quantity, without an admission. */
export function askFor(
  holds: Holds,
  account: Account,
  event: TestEvent,
  selection: { bestAvailable: BestAvailable } | { generalAdmission: GeneralAdmission },
  idempotencyKey = `key-${Math.random()}`,
): Promise<HoldView | HoldRefusal> {
  return holds.hold(
    { account, deviceId: null, admissionToken: null },
    {
      eventId: event.id,
      idempotencyKey,
      ...selection,
    },
  )
}

/** Admissions for a process that has no memory of moved places, with the keys that sign their tokens. */
export async function testAdmissions(db: Database) {
  const tokens = createTokens(await importKeys(await makeKeys()))
  const rooms = { known: () => null, hasEnded: () => false } as Partial<Rooms> as Rooms
  const clock = { now: async () => new Date(), estimate: () => new Date(), at: async () => new Date() }
  return { tokens, admissions: createAdmissions({ db, tokens, rooms, clock }) }
}

export function isHold(result: object): result is HoldView {
  return 'expiresAt' in result
}

/** Runs `work` for 0 … n - 1, up to `atOnce` of them at the same time. */
export async function sideBySide<T>(
  n: number,
  atOnce: number,
  work: (i: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  let next = 0
  async function run() {
    while (next < n) {
      const i = next++
      results[i] = await work(i)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  return results
}
