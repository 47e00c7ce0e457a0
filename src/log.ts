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

/** Structured logs, a line of JSON each on standard output; secrets and addresses are cut out. */
export function createLog(level: string): Logger {
  return pino({
    level,
    base: { pid: process.pid, host: hostname() },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[cut]' },
  })
}
