import type { Socket } from 'node:net'

/** Node's handle of a connection. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/** The bytes that the system has accepted for the connection, also of a write that it has accepted in part. */
export function bytesAccepted(connection: Socket | null | undefined): number {
  const handle = (connection as unknown as { readonly _handle?: Handle | null } | null | undefined)?._handle
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** A client with unread bytes must read `leastBytes` in `seconds`. */
export interface ReadingPace {
  readonly seconds: number
  readonly leastBytes: number
}

/** Finds the clients that do not read. It keeps state only for the clients that have unread bytes. */
export function createUnreadWatch<Client>(pace: () => ReadingPace, giveUp: (client: Client) => void) {
  let before = new Map<Client, { readonly since: number; readonly accepted: number }>()
  return {
    /**
     * To be called once a second, with the clients that have unread bytes. A slow client stays as long as it reads.
     *
     * @param unread each client with the bytes that the system has accepted for it
     */
    check(unread: Iterable<readonly [Client, number]>, second: number): void {
      const { seconds, leastBytes } = pace()
      const now: typeof before = new Map()
      for (const [client, accepted] of unread) {
        const known = before.get(client)
        if (!known || accepted - known.accepted >= leastBytes) now.set(client, { since: second, accepted })
        else if (second - known.since >= seconds) giveUp(client)
        else now.set(client, known)
      }
      before = now
    },
  }
}
