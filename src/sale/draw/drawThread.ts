import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Draw, drawPlaces } from './draw.ts'

/**
 * The draw runs at this niceness. Where other threads keep every core busy, it still gets a quarter of a core, so that it
 * takes two seconds at most.
 */
const NICENESS = 5

// The thread that makes a draw: see drawnPlaces.ts.
yieldCoresToServingThreads()
const places = drawPlaces(workerData as Draw)
parentPort?.postMessage(places, [places.buffer])

/**
 * Lowers this thread's priority: that halves the longest pause of the servers' event loops on a machine with few cores
 * (`bench/draw.ts`). Only Linux has priorities for threads. On other systems, and where Linux refuses, the draw runs at
 * normal priority.
 */
function yieldCoresToServingThreads() {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.max(getPriority(thread), NICENESS))
  } catch {}
}
