import { ApiError, ConnectionLost, createFairgate, type Fairgate, memorySession } from '../sdk/index.ts'
import { sandboxToken } from '../sdk/sandbox.ts'
import { CommandError } from './command.ts'

/** For the help of each command of ops. */
export const TOKEN_HELP = `FAIRGATE_TOKEN is the token of an account with the role ops. Where it is not set, the command asks POST /dev/token for
one, which exists in the embedded mode only.
`

/**
 * Runs the work with a client that has the role ops, and with the id of the event. `event`: its slug or its id.
 *
 * Throws CommandError where there is no such event, no service, no token, or where the API refuses.
 */
export async function asOps<T>(
  server: string,
  event: string,
  work: (fairgate: Fairgate, eventId: string) => Promise<T>,
): Promise<T> {
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    throw new CommandError(`--server must be an address such as https://tickets.example, not ${server}`)
  const session = memorySession()
  let fairgate: Fairgate | undefined
  try {
    session.accountToken = process.env.FAIRGATE_TOKEN ?? (await embeddedToken(server))
    fairgate = createFairgate({ url: server, session })
    return await work(fairgate, await findEvent(fairgate, event))
  } catch (error) {
    if (error instanceof ConnectionLost) throw new CommandError(`No service answers at ${server}`)
    if (error instanceof ApiError) throw new CommandError(`${error.code}: ${error.message}`)
    throw error
  } finally {
    fairgate?.close()
  }
}

async function embeddedToken(server: string): Promise<string> {
  try {
    return await sandboxToken(server, 'ops', ['ops'])
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND')
      throw new CommandError('Set FAIRGATE_TOKEN to the token of an account with the role ops')
    throw error
  }
}

async function findEvent({ sales }: Fairgate, slugOrId: string): Promise<string> {
  if (/^evt_[0-9a-z]+$/.test(slugOrId)) return slugOrId
  const page = await sales.page(slugOrId)
  if (!page) throw new CommandError(`There is no event with the slug ${slugOrId}`)
  return page.id
}
