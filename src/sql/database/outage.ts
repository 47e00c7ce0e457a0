/** Codes of PostgreSQL, Node and Prisma for a database that is away for now. Below, classes of SQLSTATE: connections, resources (a full disk, too many connections), and the machine. */
const CODES = new Set([
  '57P01', // the server is shutting down
  '57P02',
  '57P03', // the server is starting up
  '25006', // a standby that has not been promoted yet
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
])
/** 08: the connection; 53: no disk space, memory or connection is left; 58: the disk fails. */
const CLASSES = /^(08|53|58)/
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
/** Errors of pg and its pool that have no code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/

/**
 * Whether an error means that the database could not be reached or did not answer, in any of the shapes that pg, its
 * pool and Prisma give it. Such an outage passes, and is no fault of the caller.
 */
export function isDatabaseOutage(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, originalCode, kind, message }) =>
      [code, originalCode].some((c) => typeof c === 'string' && (CODES.has(c) || CLASSES.test(c))) ||
      (typeof kind === 'string' && KINDS.has(kind)) ||
      (typeof message === 'string' && MESSAGES.test(message)),
  )
}

/** Whether a text had a character that PostgreSQL cannot store: NUL. */
export function isUnstorableText(error: unknown): boolean {
  return causesOf(error).some(({ code, originalCode }) => [code, originalCode].includes('22021'))
}

interface Cause {
  code?: unknown
  originalCode?: unknown
  kind?: unknown
  message?: unknown
  cause?: unknown
  meta?: { driverAdapterError?: unknown }
  errors?: unknown
}

/** The error and what it wraps; Prisma puts the driver's error under `meta`, Node several addresses under `errors`. */
function causesOf(error: unknown, depth = 0): Cause[] {
  if (typeof error !== 'object' || error === null || depth > 5) return []
  const { cause, meta, errors } = error as Cause
  const inner = [cause, meta?.driverAdapterError, ...(Array.isArray(errors) ? errors : [])]
  return [error as Cause, ...inner.flatMap((one) => causesOf(one, depth + 1))]
}
