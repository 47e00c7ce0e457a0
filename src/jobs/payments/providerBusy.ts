import { ProviderBusy } from '../../payments/provider.ts'
import { RunLater } from '../kit.ts'

/**
 * Runs work that calls the provider. Throws RunLater where the provider or its limiter is busy: no request was sent, so
 * the attempt does not count as failed.
 */
export async function deferWhileProviderBusy(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ProviderBusy)) throw error
    // Jittered, so that deferred runs do not come back at the same moment.
    throw new RunLater(error.retryAfterSeconds * 1_000 * (1 + Math.random()))
  }
}
