import type { LogFn, Logger } from 'pino'

const EVERY_MS = 60_000
/** The most kinds of lines that are counted at once. */
const MOST_KINDS = 1_000

interface Kind {
  /** Lines that were not written since the last one. */
  repeated: number
  write(repeated: number): void
}

/**
 * Returns a filter of log lines: true for a line that has no error, or is the first of its kind. A line of the same kind within a
 * minute is counted. At the end of the minute the last one is written, with the count as `repeated`. So an error in a loop costs
 * one line a minute.
 *
 * Lines are of one kind if text, error, fields and bindings are the same; numbers in the text of an error do not matter.
 */
export function createRepeatFilter() {
  const kinds = new Map<string, Kind>()

  function endMinute(name: string) {
    const kind = kinds.get(name) as Kind
    if (kind.repeated === 0) {
      kinds.delete(name)
      return
    }
    kind.write(kind.repeated)
    kind.repeated = 0
    setTimeout(endMinute, EVERY_MS, name).unref()
  }

  return (logger: Logger, [first, ...texts]: unknown[], write: LogFn): boolean => {
    const fields = first instanceof Error ? { err: first } : (first as { err?: unknown } | null)
    const error = fields?.err
    if (!(error instanceof Error)) return true
    const name = nameOf(logger, { ...fields }, error, texts)
    const known = kinds.get(name)
    if (!known && kinds.size >= MOST_KINDS) return true
    const writeAgain = (repeated: number) =>
      (write as (...args: unknown[]) => void).call(logger, { ...fields, repeated }, ...texts)
    if (known) {
      known.repeated++
      known.write = writeAgain
      return false
    }
    kinds.set(name, { repeated: 0, write: writeAgain })
    setTimeout(endMinute, EVERY_MS, name).unref()
    return true
  }
}

function nameOf(logger: Logger, { err: _, ...fields }: { err?: unknown }, error: Error, texts: unknown[]) {
  const { name, message, code } = error as NodeJS.ErrnoException
  const plain = Object.entries(fields).filter(([, value]) => typeof value !== 'object')
  return JSON.stringify([logger.bindings(), texts, plain, name, code, message.replaceAll(/\d+/g, '0')])
}
