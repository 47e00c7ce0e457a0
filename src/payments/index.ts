import type { Redis } from 'ioredis'
import type { Env } from '../env.ts'
import type { Database } from '../sql/database.ts'
import { guard } from './guard.ts'
import { createLimiter } from './limiter.ts'
import type { PaymentProvider } from './provider.ts'
import { createRegistry, type Payments } from './registry.ts'
import { createSandbox } from './sandbox.ts'

export interface PaymentDeps {
  env: Pick<Env, 'paymentsPerSecond' | 'sandbox' | 'publicUrl'>
  db: Database
  redis: Redis
  /** See GuardOptions in guard.ts. */
  onAuthorization?: (refused: boolean) => void
}

/** The payment providers of this installation, each behind the limits of all its processes. */
export function createPaymentProviders({ env, db, redis, onAuthorization }: PaymentDeps): Payments {
  const guarded = (provider: PaymentProvider) =>
    guard(provider, {
      takePermit: createLimiter(redis, provider.name, env.paymentsPerSecond),
      onAuthorization,
    })
  return createRegistry([guarded(createSandbox(db, env.sandbox, { publicUrl: env.publicUrl }))])
}
