import { ProviderBusy } from './provider.ts'

/** The retry time is jittered, so that callers that were refused together do not come back together. */
export function busy(ms: number): ProviderBusy {
  return new ProviderBusy(Math.ceil(ms / 1_000) + Math.floor(Math.random() * 3))
}
