/** What ioredis and Redis say while Redis is away, full, loading or not yet the primary. */
const MESSAGES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|connect E|read E|write E|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|OOM|Reached the max retries)/

/** True for an error that says that Redis could not be reached or did not answer: trouble that passes. */
export function isRedisOutage(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'MaxRetriesPerRequestError' || MESSAGES.test(error.message))
  )
}
