import { Fault } from '../faults.ts'
import type { Holds } from '../holds/holds.ts'
import { eventOf } from '../ids.ts'
import type { Checkout } from '../orders/checkout.ts'
import { CheckoutBusy, HoldNotFound, Refusal, TooManyHolds } from '../refusals.ts'
import type { Load } from './load.ts'

/** Returns the same holds, which count in `load` how many are made and how many refused. A retry counts again. */
export function instrumentHolds(holds: Holds, load: Pick<Load, 'hold'>): Holds {
  return {
    ...holds,
    async hold(caller, input) {
      const answer = await holds.hold(caller, input)
      const limited = answer instanceof TooManyHolds ? caller.account.id : undefined
      load.hold(input.eventId, !(answer instanceof Refusal), limited)
      return answer
    },
  }
}

/**
 * Returns the same checkout, which measures its duration. A call that starts no payment is left out: it is quick, and
 * would hide slow payments. A call that fails by our own error is measured.
 */
export function instrumentCheckout(checkout: Checkout, load: Pick<Load, 'checkout'>): Checkout {
  return {
    ...checkout,
    async checkout(account, input) {
      const startedAt = performance.now()
      const measure = () => {
        const eventId = eventOf('hld', input.holdId)
        if (eventId) load.checkout(eventId, performance.now() - startedAt)
      }
      try {
        const answer = await checkout.checkout(account, input)
        if (!(answer instanceof HoldNotFound || answer instanceof CheckoutBusy)) measure()
        return answer
      } catch (error) {
        if (!(error instanceof Fault)) measure()
        throw error
      }
    },
  }
}
