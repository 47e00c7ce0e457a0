/** What ioredis and Redis say while Redis is away, full, loading or not yet the primary. */
const MESSAGES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|connect E|read E|write E|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|OOM|Reached the max retries)/

/** Of sockets; where several addresses were tried in vain, the error has no words of its own. */
const CODES = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** True for an error that says that Redis could not be reached or did not answer: trouble that passes. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, message, code } = error as NodeJS.ErrnoException
  return name === 'MaxRetriesPerRequestError' || MESSAGES.test(message) || CODES.test(code ?? '')
}
