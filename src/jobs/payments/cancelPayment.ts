import { z } from 'zod'
import { defineTask } from '../kit.ts'
import { deferWhileProviderBusy } from './providerBusy.ts'

/** Cancels the payment of an order that sold nothing. Where the money is taken already, a refund follows. */
export const cancelPayment = defineTask({
  name: 'cancelPayment',
  data: z.strictObject({ orderId: z.string() }),
  concurrency: 20,
  attempts: 12,
  retryAfterMs: 1_000,
  subject: ({ orderId }) => orderId,
  once: true,
  run: (app, { orderId }) => deferWhileProviderBusy(() => app.checkout.cancelPayment(orderId)),
})
