import { Fault } from '../faults.ts'
import type { Holds } from '../holds/holds.ts'
import { eventOf } from '../ids.ts'
import type { Checkout } from '../orders/checkout.ts'
import { CheckoutBusy, HoldNotFound, Refusal } from '../refusals.ts'
import type { Load } from './load.ts'

/** The same holds, counted: made, with those that a retry was told of again, and refused. */
export function instrumentHolds(holds: Holds, load: Pick<Load, 'hold'>): Holds {
  return {
    ...holds,
    async hold(caller, input) {
      const answer = await holds.hold(caller, input)
      load.hold(input.eventId, !(answer instanceof Refusal))
      return answer
    },
  }
}

/**
 * The same checkout, timed. What begins no payment is left out: it is quick, and would make the rest look quicker. What
 * fails for a reason of ours is not.
 */
export function instrumentCheckout(checkout: Checkout, load: Pick<Load, 'checkout'>): Checkout {
  return {
    ...checkout,
    async checkout(account, input) {
      const startedAt = performance.now()
      const answered = () => {
        const eventId = eventOf('hld', input.holdId)
        if (eventId) load.checkout(eventId, performance.now() - startedAt)
      }
      try {
        const answer = await checkout.checkout(account, input)
        if (!(answer instanceof HoldNotFound || answer instanceof CheckoutBusy)) answered()
        return answer
      } catch (error) {
        if (!(error instanceof Fault)) answered()
        throw error
      }
    },
  }
}
