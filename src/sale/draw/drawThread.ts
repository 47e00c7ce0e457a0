import { parentPort, workerData } from 'node:worker_threads'
import { yieldCoresToServingThreads } from '../../async/threadPriority.ts'
import { type Draw, drawPlaces } from './draw.ts'

// The thread that makes a draw: see drawnPlaces.ts. At its lower priority a draw takes two seconds at most.
yieldCoresToServingThreads()
const places = drawPlaces(workerData as Draw)
parentPort?.postMessage(places, [places.buffer])
