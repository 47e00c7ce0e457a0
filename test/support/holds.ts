import type { Account } from '../../src/sale/caller.ts'
import type { BestAvailable, GeneralAdmission } from '../../src/sale/holds/holdInput.ts'
import type { HoldRefusal, Holds, HoldView } from '../../src/sale/holds/holds.ts'
import type { TestEvent } from './event.ts'

/** Asks for seats by their numbers, in the order given, without an admission. */
export function ask(
  holds: Holds,
  account: Account,
  event: TestEvent,
  seatNos: readonly number[],
  idempotencyKey = `key-${Math.random()}`,
): Promise<HoldView | HoldRefusal> {
  return holds.hold({ account, deviceId: null, admissionToken: null }, null, {
    eventId: event.id,
    seats: seatNos.map(event.seatId),
    idempotencyKey,
  })
}

/** Asks for seats or places by quantity, without an admission. */
export function askFor(
  holds: Holds,
  account: Account,
  event: TestEvent,
  selection: { bestAvailable: BestAvailable } | { generalAdmission: GeneralAdmission },
  idempotencyKey = `key-${Math.random()}`,
): Promise<HoldView | HoldRefusal> {
  return holds.hold({ account, deviceId: null, admissionToken: null }, null, {
    eventId: event.id,
    idempotencyKey,
    ...selection,
  })
}

export function isHold(result: object): result is HoldView {
  return 'expiresAt' in result
}

/** Runs `work` for 0 … n - 1, `atOnce` of them side by side. */
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
