import { ProviderBusy } from '../payments/provider.ts'
import { RunLater } from './kit.ts'

/** Work at the provider. Where the provider or its limiter is busy nothing was sent: that is no failed attempt. */
export async function whenProviderHasTime(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ProviderBusy)) throw error
    // Jittered, or all that were turned away come back in the same moment.
    throw new RunLater(error.retryAfterSeconds * 1_000 * (1 + Math.random()))
  }
}
