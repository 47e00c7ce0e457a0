import { badInput } from '../faults.ts'
import { createInputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import { isStorable } from '../storable.ts'

/** By id, or all of a window; exactly one of them. */
export interface ReplayInput {
  ids?: readonly string[] | null
  window?: { queue?: string | null; failedAfter: Date; failedBefore: Date; perSecond?: number | null } | null
}

// The checks of what ops send. Each throws BAD_USER_INPUT with the path of the fault.

const MOST_IDS = 1_000
const LONGEST_REASON = 1_000
const UNSTORABLE = 'Must not have NUL characters.'

export function checkIds(ids: readonly string[]): void {
  if (ids.length > MOST_IDS) {
    throw badInput({ path: ['input', 'ids'], message: `Name at most ${MOST_IDS}; a window takes more.` })
  }
}

export function checkReason(reason: string): void {
  if (reason.trim() === '' || reason.length > LONGEST_REASON) {
    throw badInput({ path: ['input', 'reason'], message: `Must have 1 to ${LONGEST_REASON} characters.` })
  }
  if (!isStorable(reason)) throw badInput({ path: ['input', 'reason'], message: UNSTORABLE })
}

export function checkQueue(queue: string | null, path: string[]): void {
  if (queue !== null && !isStorable(queue)) throw badInput({ path, message: UNSTORABLE })
}

export function checkWindow({
  queue,
  failedAfter,
  failedBefore,
  perSecond,
}: NonNullable<ReplayInput['window']>): void {
  const path = ['input', 'window']
  checkQueue(queue ?? null, [...path, 'queue'])
  if (failedAfter >= failedBefore) {
    throw badInput({ path: [...path, 'failedBefore'], message: 'Must be after failedAfter.' })
  }
  const faults = createInputFaults()
  if (perSecond != null) faults.number([...path, 'perSecond'], perSecond, RANGES.replaysPerSecond)
  faults.throwAny()
}
