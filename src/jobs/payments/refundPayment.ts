import { z } from 'zod'
import { defineTask, RunLater } from '../kit.ts'
import { deferWhileProviderBusy } from './providerBusy.ts'

/** The wait while a bank decides about a refund: most do so within minutes, some within days. */
const PENDING_MS = 60_000

/** Returns the money of a refund, until the provider reports it done. */
export const refundPayment = defineTask({
  name: 'refundPayment',
  data: z.strictObject({ refundId: z.string() }),
  concurrency: 20,
  attempts: 12,
  retryAfterMs: 1_000,
  subject: ({ refundId }) => refundId,
  once: true,
  run: (app, { refundId }) =>
    deferWhileProviderBusy(async () => {
      if ((await app.checkout.refundPayment(refundId)) === 'pending')
        throw new RunLater(PENDING_MS * (1 + Math.random()))
    }),
})
