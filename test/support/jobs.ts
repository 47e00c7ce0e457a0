import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import type { Timings } from '../../src/jobs/bullmq/workers.ts'
import { makeKeys } from '../../src/keys.ts'
import { guard } from '../../src/payments/guard.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { createRegistry } from '../../src/payments/registry.ts'
import { createSandbox } from '../../src/payments/sandbox.ts'

/** A dead runner is found within about two seconds. */
export const QUICK: Timings = { lockMs: 1_000, stalledCheckMs: 250 }

/**
 * The app of a worker process, with connections of its own. Its payments have no limit; `wrapProvider` may change the sandbox.
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
  return createApp(env, {
    createPayments: ({ db }) =>
      createRegistry([
        guard(wrapProvider(createSandbox(db, env.sandbox, env)), { takePermit: async () => 0 }),
      ]),
  }).finally(() => rmSync(folder, { recursive: true }))
}

export type TestJobApp = Awaited<ReturnType<typeof testJobApp>>

/** Waits until `condition` holds; fails after far more time than it should take. */
export async function until(condition: () => unknown, what: string, patienceMs = 45_000): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    if (await condition()) return
    if (performance.now() > end) throw new Error(`still waiting for: ${what}`)
    await sleep(25)
  }
}
