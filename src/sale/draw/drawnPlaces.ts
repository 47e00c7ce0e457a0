import { Worker } from 'node:worker_threads'
import { type Draw, drawPlaces } from './draw.ts'

/** A draw of this size takes less than a millisecond (`bench/draw.ts`), and the start of a thread 70. */
const SMALL = 1_000

/**
 * Returns the places of a draw. It makes a large draw on a thread of its own, so that the event loop of a process that serves
 * goes on, and transfers the places without copying them. Throws where no thread can be started.
 */
export async function drawnPlaces(draw: Draw): Promise<Uint32Array> {
  if (draw.size <= SMALL) return drawPlaces(draw)
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./drawThread.ts', import.meta.url), { workerData: draw })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the draw thread ended without a result')))
    // A process that stops does not wait for the draw.
    thread.unref()
  })
}
