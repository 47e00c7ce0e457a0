import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { bytesAccepted, createUnreadWatch } from '../http/limits/unreadWatch.ts'
import { BOUNDS } from './bounds.ts'

const waits = new WeakMap<WebSocket, Promise<void>>()

/** True for an open socket whose client has not read the answers that it got before. */
export function isUnread(socket: WebSocket): boolean {
  return socket.bufferedAmount > BOUNDS.unreadBytes && socket.readyState === socket.OPEN
}

/** Settles when the system has accepted all that the server sent, or the connection has ended. Undefined where no wait is due. */
export function whenRead(socket: WebSocket): Promise<void> | undefined {
  const connection = connectionOf(socket)
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

/** Finds the sockets that do not read. */
export function createUnreadSockets(giveUp: (socket: WebSocket) => void) {
  const pace = () => ({ seconds: BOUNDS.unreadSeconds, leastBytes: BOUNDS.leastReadBytes })
  const watch = createUnreadWatch<WebSocket>(pace, giveUp)

  function* unread(sockets: Iterable<WebSocket>) {
    for (const socket of sockets)
      if (isUnread(socket)) yield [socket, bytesAccepted(connectionOf(socket))] as const
  }

  return {
    /** To be called once a second. */
    check: (sockets: Iterable<WebSocket>, second: number) => watch.check(unread(sockets), second),
  }
}

/** `ws` keeps the connection here. Null after the end. */
function connectionOf(socket: WebSocket): Socket | null {
  return (socket as unknown as { readonly _socket: Socket | null })._socket
}
