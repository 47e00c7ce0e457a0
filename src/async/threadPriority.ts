import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

/** Where other threads keep every core busy, a thread of this niceness still gets a quarter of a core. */
const NICENESS = 5

/**
 * Lowers this thread's priority: that halves the longest pause of the servers' event loops on a machine with few cores
 * (`bench/draw.ts`). Only Linux has priorities for threads. On other systems, and where Linux refuses, the thread runs at
 * normal priority.
 */
export function yieldCoresToServingThreads(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.max(getPriority(thread), NICENESS))
  } catch {}
}
