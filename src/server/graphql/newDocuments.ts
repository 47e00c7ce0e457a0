import type { DocumentNode, GraphQLError } from 'graphql'
import { Fault, overloaded } from '../../sale/faults.ts'
import type { Documents } from './documents.ts'

/**
 * The processor time for documents that this process has not read before, in milliseconds. Reading and validating one takes some
 * milliseconds, before its operation has a priority. A client's few dozen documents are known after their first use.
 */
export const NEW_DOCUMENTS = {
  /** Of one address: at once, and in each second. */
  ofAddress: { burst: 1_000, aSecond: 200 },
  /** Of all addresses together. */
  inAll: { burst: 1_000, aSecond: 400 },
}

interface Allowance {
  readonly burst: number
  readonly aSecond: number
}

/** The least time of a document: the system counts a thread's time in ticks of some milliseconds. */
const LEAST_MS = 0.2

/** Addresses that have spent anything lately. */
const SWEEP_ABOVE = 1_000

/**
 * Returns a function that reads a document: a known one at once, a new one within the time for new documents. It throws RATE_LIMITED
 * or OVERLOADED where that time is spent. A null address does not count.
 */
export function createNewDocuments(
  documents: Documents,
  now: () => number = () => performance.now(),
  cpuMs: () => number = threadCpuMs,
): (text: string, addressOf: () => string | null) => DocumentNode | GraphQLError {
  /** Until when each allowance is spent. */
  const spentUntil = new Map<string, number>()
  let spentInAll = 0

  /** Seconds until the next document may be read. */
  function waitOf(until: number, { burst, aSecond }: Allowance): number {
    return Math.max(0, (until - now()) / 1_000 - burst / aSecond)
  }

  function spend(until: number, ms: number, { aSecond }: Allowance): number {
    return Math.max(until, now()) + (1_000 * ms) / aSecond
  }

  function sweep() {
    for (const [address, until] of spentUntil) if (until < now()) spentUntil.delete(address)
  }

  return (text, addressOf) => {
    const known = documents.known(text)
    if (known) return known
    const address = addressOf()
    if (address === null) return documents.parse(text)
    const ofAddress = spentUntil.get(address) ?? 0
    const wait = waitOf(ofAddress, NEW_DOCUMENTS.ofAddress)
    if (wait > 0)
      throw new Fault(
        'RATE_LIMITED',
        'Too many new documents come from this address. Send values as variables.',
        {
          retryAfterSeconds: Math.ceil(wait),
        },
      )
    const waitInAll = waitOf(spentInAll, NEW_DOCUMENTS.inAll)
    if (waitInAll > 0) throw overloaded(waitInAll)
    const before = cpuMs()
    const parsed = documents.parse(text)
    // The lanes find the faults again by the document.
    if ('kind' in parsed) documents.validate(parsed)
    const ms = Math.max(LEAST_MS, cpuMs() - before)
    if (spentUntil.size > SWEEP_ABOVE) sweep()
    spentUntil.set(address, spend(ofAddress, ms, NEW_DOCUMENTS.ofAddress))
    spentInAll = spend(spentInAll, ms, NEW_DOCUMENTS.inAll)
    return parsed
  }
}

/** Of this thread alone, so that a busy machine does not count. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
