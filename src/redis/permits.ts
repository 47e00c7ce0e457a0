import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { keys } from './keys.ts'

const SCRIPT = readFileSync(new URL('scripts/takePermit.lua', import.meta.url), 'utf8')

type WithScript = Redis & { fgTakePermit(key: string, perSecond: number): Promise<number> }

/**
 * Takes one of the permits that all processes together may use in a second to ask `provider`. Returns 0
 * where it was taken, else after how many milliseconds the next one is free. Throws where Redis is away.
 */
export function createPermits(redis: Redis): (provider: string, perSecond: number) => Promise<number> {
  redis.defineCommand('fgTakePermit', { numberOfKeys: 1, lua: SCRIPT })
  return (provider, perSecond) => (redis as WithScript).fgTakePermit(keys.permits(provider), perSecond)
}
