import type { Redis } from 'ioredis'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/**
 * Returns a function that takes a permit to call `provider`. All processes together may take `perSecond` permits in any
 * second. The function returns 0 where it took a permit, else the milliseconds until the next one is free. It throws
 * while Redis is away.
 */
export function createPermits(redis: Redis): (provider: string, perSecond: number) => Promise<number> {
  const takePermit = script(redis, 'takePermit')
  return async (provider, perSecond) => (await takePermit([keys.permits(provider)], [perSecond])) as number
}
