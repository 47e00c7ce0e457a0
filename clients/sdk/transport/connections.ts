import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import type { Socket } from './socket.ts'

/** The connections to the service that the parts of the SDK share. */
export interface Connections {
  client: Client
  socket: Socket
  clock: Clock
}
