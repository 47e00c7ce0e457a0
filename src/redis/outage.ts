/** Error texts of ioredis and Redis while Redis is away, full, without disk space, loading or not yet the primary. */
const MESSAGES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|connect E|read E|write E|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|MISCONF|OOM|Reached the max retries)/

/** Error codes of sockets. Where ioredis tried several addresses in vain, the error has a code and no text. */
const CODES = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** True for an error that means that Redis could not be reached or did not reply: a temporary outage. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, message, code } = error as NodeJS.ErrnoException
  return name === 'MaxRetriesPerRequestError' || MESSAGES.test(message) || CODES.test(code ?? '')
}
