import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import type { Timings } from '../../src/jobs/workers.ts'
import { makeKeys } from '../../src/keys.ts'
import { guard } from '../../src/payments/guard.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { createSandbox } from '../../src/payments/sandbox.ts'
import { createCheckout } from '../../src/sale/orders/checkout.ts'

/** A dead runner is found within about two seconds. */
export const QUICK: Timings = { lockMs: 1_000, stalledCheckMs: 250 }

/**
 * The app as a worker process has it, with connections of its own. Its payments have no limit, and `wrapProvider`
 * puts something between them and the sandbox.
 */
export async function testJobApp(
  databaseUrl: string,
  redisUrl: string,
  wrapProvider: (provider: PaymentProvider) => PaymentProvider = (provider) => provider,
) {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-test-keys-'))
  const keysFile = join(folder, 'keys.json')
  writeFileSync(keysFile, JSON.stringify(await makeKeys()))
  const env = readEnv({
    EMBEDDED: 'true',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    KEYS_FILE: keysFile,
    LOG_LEVEL: 'silent',
  })
  const app = await createApp(env).finally(() => rmSync(folder, { recursive: true }))
  const payments = guard(wrapProvider(createSandbox(app.db, env.sandbox)), { takePermit: async () => 0 })
  const checkout = createCheckout({ ...app, payments })
  return { ...app, payments, checkout }
}

export type TestJobApp = Awaited<ReturnType<typeof testJobApp>>

/** Looks again and again until `condition` holds; fails after a time far above what it should take. */
export async function until(condition: () => unknown, what: string, patienceMs = 45_000): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    if (await condition()) return
    if (performance.now() > end) throw new Error(`still waiting for: ${what}`)
    await sleep(25)
  }
}
