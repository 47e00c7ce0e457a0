import type { FakeReply } from '../providers/server.ts'
import { keyInUse, otherParameters } from './errors.ts'

const REMEMBERED_MS = 86_400_000

/**
 * Stripe's idempotency keys: the first answer of a key is replayed for a day, an error 500 too. A key whose first request
 * is under way is refused, and so is a key that comes with other parameters. A refusal before the work began, such as the
 * limit of requests a second, is not stored.
 */
export function createIdempotency(now: () => number) {
  const stored = new Map<string, { parameters: string; reply: FakeReply | null; until: number }>()
  return {
    async run(key: string, parameters: string, work: () => Promise<FakeReply>): Promise<FakeReply> {
      const known = stored.get(key)
      if (known && known.until > now()) {
        if (known.parameters !== parameters) throw otherParameters(key)
        if (known.reply === null) throw keyInUse()
        return { ...known.reply, headers: { ...known.reply.headers, 'idempotent-replayed': 'true' } }
      }
      const entry = { parameters, reply: null as FakeReply | null, until: now() + REMEMBERED_MS }
      stored.set(key, entry)
      try {
        entry.reply = await work()
        return entry.reply
      } catch (error) {
        stored.delete(key)
        throw error
      }
    },
  }
}
