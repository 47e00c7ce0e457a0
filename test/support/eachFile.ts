import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, vi } from 'vitest'

/*
 * Runs around each test file. Files run one after the other in the same process, which imports the app once. So this
 * restores spies and timers after each file, and fails a file that leaves a socket, a server or a timer open.
 */

/** A connection closes a moment after its `end()`. */
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

/** Returns the number of open resources of each kind that keep this process alive. */
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
