import { z } from 'zod'
import { defineTask } from './kit.ts'
import { deferWhileProviderBusy } from './providerBusy.ts'

/** Voids the authorization of an order that sold nothing, or refunds it if it was captured. */
export const voidPayment = defineTask({
  name: 'voidPayment',
  data: z.strictObject({ orderId: z.string() }),
  concurrency: 20,
  attempts: 12,
  retryAfterMs: 1_000,
  subject: ({ orderId }) => orderId,
  once: true,
  run: (app, { orderId }) => deferWhileProviderBusy(() => app.checkout.voidPayment(orderId)),
})
