import { Command, type Redis } from 'ioredis'

/** Among what isRedisOutage knows. */
const MESSAGE = 'Command timed out before: Redis does not answer'

/**
 * Remembers that Redis hangs. After the first command that timed out all others fail at once, so that a request which
 * needs three of them waits once and not three times; pings go on alone, one after the other, and the first that is
 * answered, or ends with the connection, lets commands through again. A connection that is gone fails at once by itself.
 */
export function failFastWhileItHangs(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis)
  let hangs = false

  async function probe() {
    while (hangs) {
      const ping = new Command('ping')
      send(ping)
      hangs = await ping.promise.then(
        () => false,
        (error) => isTimeout(error),
      )
    }
  }

  redis.sendCommand = (command, stream) => {
    if (hangs) {
      command.reject(new Error(MESSAGE))
      return command.promise
    }
    const answer = send(command, stream)
    command.promise.catch((error) => {
      if (hangs || !isTimeout(error)) return
      hangs = true
      void probe()
    })
    return answer
  }
  return redis
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out'
}
