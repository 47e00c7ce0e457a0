import { z } from 'zod'
import { defineTask } from '../kit.ts'
import { deferWhileProviderBusy } from './providerBusy.ts'

/** Captures the money of a confirmed order. A final refusal cancels the order. */
export const capturePayment = defineTask({
  name: 'capturePayment',
  data: z.strictObject({ orderId: z.string() }),
  // The number of the bulkhead's slots in a process: more runs would only wait for a slot.
  concurrency: 20,
  // The waits add up to more than half an hour. Then ops get a dead letter, and the settler goes on.
  attempts: 12,
  retryAfterMs: 1_000,
  subject: ({ orderId }) => orderId,
  once: true,
  run: (app, { orderId }) => deferWhileProviderBusy(() => app.checkout.capture(orderId)),
})
