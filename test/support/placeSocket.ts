import { WebSocket } from 'ws'
import { cleanUp } from './cleanUp.ts'
import type { Json } from './client.ts'

export type FollowPlace = (
  url: string,
  deviceId: string,
  queueToken: string,
  onPosition: (position: Json) => void,
) => Promise<void>

/**
 * Returns a function that follows a place on a socket of its own and calls `onPosition` with each message. The sockets close
 * after the test file.
 */
export function placeSockets(fields: string): FollowPlace {
  const query = `subscription ($t: String!) { queuePosition(queueToken: $t) { ${fields} } }`
  const sockets: WebSocket[] = []
  cleanUp(() => {
    for (const socket of sockets) socket.terminate()
  })
  return async (url, deviceId, t, onPosition) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    sockets.push(socket)
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    const send = (message: object) => socket.send(JSON.stringify(message))
    send({ type: 'connection_init', payload: { deviceId } })
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data))
      if (type === 'connection_ack')
        send({ type: 'subscribe', id: '1', payload: { query, variables: { t } } })
      if (type === 'next') onPosition(payload.data?.queuePosition ?? payload)
    })
  }
}
