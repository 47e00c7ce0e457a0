import { Worker } from 'node:worker_threads'
import type { Draw } from './draw.ts'

/**
 * The places of a draw, made on a thread of its own: 2,000,000 take some 0.4 s, and nothing that serves may stand
 * still for so long. They are handed over, not copied. Throws where no thread is to be had.
 */
export function drawnPlaces(draw: Draw): Promise<Uint32Array> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./drawThread.ts', import.meta.url), { workerData: draw })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the thread of the draw ended without places')))
    // A process that is told to stop does not wait for it.
    thread.unref()
  })
}
