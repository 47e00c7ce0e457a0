import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'

/** What never stands in a log, wherever it is in what is logged. */
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

/** Structured logs, a line of JSON each on standard output; secrets and addresses are cut out. */
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
  // What is left at the exit is written again and again, whatever the error (sonic-boom 4.2): with nobody there to
  // read it, the process would never end. A space before a line of JSON is no harm.
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
