import { z } from 'zod'
import { defineTask } from './kit.ts'
import { whenProviderHasTime } from './providerTime.ts'

/** Gives back the authorization of an order that sold nothing, or refunds it where it was captured. */
export const voidPayment = defineTask({
  name: 'voidPayment',
  data: z.strictObject({ orderId: z.string() }),
  concurrency: 20,
  attempts: 12,
  retryAfterMs: 1_000,
  subject: ({ orderId }) => orderId,
  run: (app, { orderId }) => whenProviderHasTime(() => app.checkout.voidPayment(orderId)),
})
