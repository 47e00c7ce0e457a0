/** Whether an error says that Redis cannot be reached or does not answer yet, and nothing of what was asked of it. */
export function isConnectionTrouble(error: unknown): boolean {
  const { name, message, code } = error as NodeJS.ErrnoException
  return (
    name === 'MaxRetriesPerRequestError' ||
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)$/.test(code ?? '') ||
    /isn't writeable|Connection is closed|Command timed out|^LOADING/.test(message)
  )
}
