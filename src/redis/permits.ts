import type { Redis } from 'ioredis'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/**
 * Takes one of the permits that all processes together may use in a second to ask `provider`. Returns 0
 * where it was taken, else after how many milliseconds the next one is free. Throws where Redis is away.
 */
export function createPermits(redis: Redis): (provider: string, perSecond: number) => Promise<number> {
  const takePermit = script(redis, 'takePermit')
  return async (provider, perSecond) => (await takePermit([keys.permits(provider)], [perSecond])) as number
}
