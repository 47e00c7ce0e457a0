import { commitmentOf } from './drawPlace.ts'
import type { DrawMessage, DrawRequest } from './drawWorker.ts'
import type { Noted } from './noted.ts'

export interface PlaceToCheck {
  readonly eventId: string
  readonly arrival: number
  readonly place: number
  readonly commitment: string
  readonly seed: string
  readonly size: number
  readonly beacon: string
  readonly beaconSource: string | null
  readonly noted: Noted | null
}

/** The checks of a place, each one true where it holds. */
export interface Checks {
  /** The commitment is the one that this device noted. Null: it noted nothing. */
  readonly noted: boolean | null
  /** The seed is the number of the commitment. */
  readonly seed: boolean
  /** The draw, made again, gives this place. */
  readonly place: boolean
  /** The place that the draw gives; the arrival itself for a fan who joined after it. */
  readonly computed: number
}

/**
 * Makes the draw again and compares. `progress` is called with the done share, from 0 to 1. Throws without `crypto.subtle`,
 * which browsers offer only in secure contexts.
 */
export async function checkPlace(
  { noted, ...published }: PlaceToCheck,
  progress: (share: number) => void,
): Promise<Checks> {
  const { arrival, place, commitment, seed, size, beaconSource } = published
  const computed = arrival > size ? arrival : await inWorker({ draw: published, arrival }, progress)
  return {
    noted: noted && noted.commitment === commitment && noted.beaconSource === beaconSource,
    seed: (await commitmentOf(seed)) === commitment,
    place: computed === place,
    computed,
  }
}

function inWorker(request: DrawRequest, progress: (share: number) => void): Promise<number> {
  const worker = new Worker(new URL('./drawWorker.ts', import.meta.url), { type: 'module' })
  return new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<DrawMessage>) =>
      'place' in data ? resolve(data.place) : progress(data.progress)
    worker.onerror = reject
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}
