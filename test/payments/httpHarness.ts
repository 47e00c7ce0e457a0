import type { PaymentProvider } from '../../src/payments/provider.ts'
import type { FakeClock } from '../support/providers/clock.ts'
import type { Faults } from '../support/providers/faults.ts'
import type { Call, ConformanceHarness } from './conformance.ts'

/**
 * The means of the conformance suite for a provider behind a server of ours.
 *
 * @param requests the request of each call that has the effect
 */
export function httpHarness(
  { faults, clock }: { faults: Faults; clock: FakeClock },
  provider: PaymentProvider,
  requests: Readonly<Record<Call, RegExp>>,
): Omit<ConformanceHarness, 'cards' | 'act'> {
  let failures = 0
  /** One call may send several requests, and the provider is out for the whole call. */
  async function through<T>(call: () => Promise<T>): Promise<T> {
    if (failures === 0) return call()
    failures -= 1
    faults.always(/./, 'error before')
    try {
      return await call()
    } finally {
      faults.heal()
    }
  }
  return {
    provider: {
      ...provider,
      prepare: (request) => through(() => provider.prepare(request)),
      confirm: (request) => through(() => provider.confirm(request)),
      retrieve: (request) => through(() => provider.retrieve(request)),
      cancel: (request) => through(() => provider.cancel(request)),
      capture: (request) => through(() => provider.capture(request)),
      refund: (request) => through(() => provider.refund(request)),
    },
    loseReply: (call, when) => faults.next(requests[call], `lost ${when}`),
    failNext(times) {
      failures = times
    },
    limitNext: () => faults.next(/./, 'limit'),
    passDay: async () => clock.advance(25 * 3_600_000),
  }
}
