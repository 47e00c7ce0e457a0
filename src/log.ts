import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { type LogFn, type Logger, pino } from 'pino'
import { createRepeatFilter } from './repeatedLines.ts'
import { errorWithoutSecrets, withoutSecretsText } from './withoutSecrets.ts'

/** Fields that never appear in a log, at any of three levels. */
const SECRETS = [
  'authorization',
  'admissionToken',
  'queueToken',
  'token',
  'paymentMethod',
  'email',
  'barcode',
  'challenge',
  'deviceId',
  'password',
  'seed',
]

const STDOUT = 1

/**
 * Writes structured logs to standard output, one line of JSON each. Secrets and mail addresses are cut out, also of
 * errors. The same error again and again is one line a minute: see repeatedLines.ts.
 */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: { pid: process.pid, host: hostname() },
    serializers: { err: errorWithoutSecrets },
    hooks: { logMethod: createLogMethod() },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[cut]' },
  }
  return pino(options, standardOutput())
}

/** Cuts secrets out of the texts of a line. An error without a text gives its message: pino would take it uncut. */
function createLogMethod() {
  const isWritten = createRepeatFilter()
  return function logWithoutSecrets(this: Logger, args: Parameters<LogFn>, write: LogFn): void {
    const [first, ...texts] = args as unknown[]
    const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err
    if (texts.length === 0 && error instanceof Error) texts.push(error.message)
    const clean = [first, ...texts].map((text) =>
      typeof text === 'string' ? withoutSecretsText(text) : text,
    )
    if (isWritten(this, clean, write)) write.apply(this, clean as Parameters<LogFn>)
  }
}

function standardOutput() {
  const output = pino.destination({ fd: STDOUT, sync: false })
  const flushSync = output.flushSync.bind(output)
  // At the exit, sonic-boom 4.2 retries the write of its buffer after every error. Without a reader, the process would
  // never end. The space that `isRead` writes before a line of JSON is harmless.
  output.flushSync = () => {
    if (isRead()) flushSync()
  }
  return output
}

function isRead(): boolean {
  try {
    writeSync(STDOUT, ' ')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN'
  }
}
