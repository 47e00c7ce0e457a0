import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, vi } from 'vitest'

/*
 * Runs around each test file. Files run one after the other in the same process, which imports the app once. So a
 * file must leave nothing behind: spies and fake timers are taken back, and what stays open fails the file.
 */

/** A connection closes a moment after its `end()` has returned. */
const PATIENCE_MS = 5_000

const before = open()

afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  const end = performance.now() + PATIENCE_MS
  while (leaked().length > 0 && performance.now() < end) await sleep(10)
  if (leaked().length > 0) throw new Error(`This file leaves open: ${leaked().join(', ')}`)
})

/** What keeps this process alive, each kind with its number. */
function open(): Map<string, number> {
  const kinds = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return kinds
}

function leaked(): string[] {
  return [...open()]
    .filter(([kind, count]) => count > (before.get(kind) ?? 0))
    .map(([kind, count]) => `${count} ${kind}`)
}
