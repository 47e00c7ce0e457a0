/*
 * A process that calls a card network as fast as the shared limit lets it, for some seconds. It prints what it got.
 *
 *     node bench/support/paymentCaller.ts <redis url> <network url> <permits a second> <seconds>
 */
import { guard } from '../../src/payments/guard.ts'
import { createLimiter } from '../../src/payments/limiter.ts'
import { type PaymentProvider, ProviderBusy } from '../../src/payments/provider.ts'
import { connectForCommands } from '../../src/redis/connect.ts'

const [redisUrl = '', network = '', perSecond = '', seconds = ''] = process.argv.slice(2)
const redis = connectForCommands(redisUrl)
await new Promise((resolve) => redis.once('ready', resolve))

const counts = { answered: 0, limited: 0, busy: 0 }

async function post(): Promise<'cancelled'> {
  const { status } = await fetch(network, { method: 'POST' })
  if (status === 429) {
    counts.limited += 1
    throw new ProviderBusy(1)
  }
  counts.answered += 1
  return 'cancelled'
}

const never = () => Promise.reject(new Error('not called'))
const provider: PaymentProvider = {
  name: 'bench',
  publishableKey: null,
  prepare: never,
  confirm: never,
  retrieve: never,
  cancel: post,
  capture: never,
  refund: never,
  async *list() {},
}
const guarded = guard(provider, { takePermit: createLimiter(redis, 'bench', Number(perSecond)) })

const end = performance.now() + Number(seconds) * 1_000
await Promise.all(
  Array.from({ length: 15 }, async () => {
    while (performance.now() < end) {
      await guarded.cancel({ eventId: 'evt_x', intentId: 'pi_1' }).catch((error) => {
        if (!(error instanceof ProviderBusy)) throw error
        counts.busy += 1
      })
    }
  }),
)
process.stdout.write(`${JSON.stringify(counts)}\n`)
redis.disconnect()
