import { parentPort, workerData } from 'node:worker_threads'
import { type Draw, drawPlaces } from './draw.ts'

// The thread that a draw is made on, see drawnPlaces.ts.
const places = drawPlaces(workerData as Draw)
parentPort?.postMessage(places, [places.buffer])
