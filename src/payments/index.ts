import type { Redis } from 'ioredis'
import type { Env } from '../env.ts'
import type { Database } from '../sql/database.ts'
import { guard } from './guard.ts'
import { createLimiter } from './limiter.ts'
import type { Payments } from './provider.ts'
import { createSandbox } from './sandbox.ts'

export interface PaymentDeps {
  env: Pick<Env, 'paymentsPerSecond' | 'sandbox'>
  db: Database
  redis: Redis
  /** See GuardOptions in guard.ts. */
  onAuthorization?: (refused: boolean) => void
}

/** The payment provider of this installation, behind the limits of all its processes. */
export function createPaymentProvider({ env, db, redis, onAuthorization }: PaymentDeps): Payments {
  const provider = createSandbox(db, env.sandbox)
  const takePermit = createLimiter(redis, provider.name, env.paymentsPerSecond)
  return guard(provider, { takePermit, onAuthorization })
}
