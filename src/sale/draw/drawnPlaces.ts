import { Worker } from 'node:worker_threads'
import type { Draw } from './draw.ts'

/**
 * Returns the places of a draw. It makes the draw on a thread of its own, so that a large draw does not block the event loop
 * of a process that serves, and transfers the places without copying them. Throws where no thread can be started.
 */
export function drawnPlaces(draw: Draw): Promise<Uint32Array> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./drawThread.ts', import.meta.url), { workerData: draw })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the draw thread ended without a result')))
    // A process that stops does not wait for the draw.
    thread.unref()
  })
}
