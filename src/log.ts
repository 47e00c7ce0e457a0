import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'

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
]

const STDOUT = 1

/** Writes structured logs to standard output, one line of JSON each. Secrets and mail addresses are cut out. */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: { pid: process.pid, host: hostname() },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[cut]' },
  }
  return pino(options, standardOutput())
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
