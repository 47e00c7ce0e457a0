import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { BOUNDS } from './bounds.ts'

/** `ws` keeps the connection here. Null after the end. */
interface Connected {
  readonly _socket: (Socket & { readonly _handle?: Handle | null }) | null
}

/** Node's handle of a connection. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

const waits = new WeakMap<WebSocket, Promise<void>>()

/** True for an open socket whose client has not read the answers that it got before. */
export function isUnread(socket: WebSocket): boolean {
  return socket.bufferedAmount > BOUNDS.unreadBytes && socket.readyState === socket.OPEN
}

/** Settles when the system has accepted all that the server sent, or the connection has ended. Undefined where no wait is due. */
export function whenRead(socket: WebSocket): Promise<void> | undefined {
  const connection = (socket as unknown as Connected)._socket
  if (!connection || !isUnread(socket)) return undefined
  const known = waits.get(socket)
  if (known) return known
  const wait = new Promise<void>((resolve) => {
    // Node emits `drain` for more than its own bound of 64 KiB, which is not above ours.
    const end = () => {
      connection.off('drain', end).off('close', end)
      waits.delete(socket)
      resolve()
    }
    connection.on('drain', end).on('close', end)
  })
  waits.set(socket, wait)
  return wait
}

/** Sends a message. A socket with too many unread bytes is terminated: its client would not read a close message either. */
export function send(socket: WebSocket, data: string, sent?: () => void): void {
  if (socket.readyState === socket.OPEN && socket.bufferedAmount > BOUNDS.mostUnreadBytes) socket.terminate()
  if (socket.readyState === socket.OPEN) socket.send(data, sent)
  else sent?.()
}

/** Finds the sockets that do not read. It keeps state only for sockets with unread bytes beyond the bound. */
export function createUnreadWatch(giveUp: (socket: WebSocket) => void) {
  let before = new Map<WebSocket, { readonly since: number; readonly read: number }>()
  return {
    /** To be called once a second. A slow client stays as long as it reads. */
    check(sockets: Iterable<WebSocket>, second: number): void {
      const now: typeof before = new Map()
      for (const socket of sockets) {
        if (!isUnread(socket)) continue
        const read = bytesRead(socket)
        const known = before.get(socket)
        if (!known || read - known.read >= BOUNDS.leastReadBytes) now.set(socket, { since: second, read })
        else if (second - known.since >= BOUNDS.unreadSeconds) giveUp(socket)
        else now.set(socket, known)
      }
      before = now
    },
  }
}

/** The bytes that the system has accepted for the connection, also of a message that it has accepted in part. */
function bytesRead(socket: WebSocket): number {
  const handle = (socket as unknown as Connected)._socket?._handle
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
