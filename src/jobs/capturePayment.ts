import { z } from 'zod'
import { defineTask } from './kit.ts'
import { whenProviderHasTime } from './providerTime.ts'

/** Takes the money of a confirmed order; a final no cancels the order. */
export const capturePayment = defineTask({
  name: 'capturePayment',
  data: z.strictObject({ orderId: z.string() }),
  // The bulkhead's slots a process: more would only queue in front of it.
  concurrency: 20,
  // The waits add up to more than half an hour; after that ops hear of it, and the settler goes on.
  attempts: 12,
  retryAfterMs: 1_000,
  subject: ({ orderId }) => orderId,
  run: (app, { orderId }) => whenProviderHasTime(() => app.checkout.capture(orderId)),
})
