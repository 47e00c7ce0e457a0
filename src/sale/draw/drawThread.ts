import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Draw, drawPlaces } from './draw.ts'

/** Where every core is busy with others: a quarter of one still, so that two seconds do. */
const NICENESS = 5

// The thread that a draw is made on, see drawnPlaces.ts.
leaveCoresToThoseWhoServe()
const places = drawPlaces(workerData as Draw)
parentPort?.postMessage(places, [places.buffer])

/**
 * Two servers on two cores stood still for 78 ms at most while they drew 2,000,000 places, and for 35 where the draw gives
 * way; the median of three draws each, hours apart. Linux alone has priorities of threads: elsewhere, and where it refuses,
 * the draw is made all the same.
 */
function leaveCoresToThoseWhoServe() {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.max(getPriority(thread), NICENESS))
  } catch {}
}
