import { connect, createServer, type Socket } from 'node:net'
import { cleanUp } from './cleanUp.ts'

export interface LossyProxy {
  /** The server's address through the proxy. */
  readonly url: string
  /** From now on the proxy drops each answer of the server and closes its connection. */
  loseReplies(): void
  /** From now on no data passes in either direction and no connection ends, as in a network failure. */
  swallow(): void
  /** From now on new connections work again. */
  heal(): void
  /** From now on new connections go to another server, as a virtual address does after a failover. The others end. */
  moveTo(url: string): void
}

/** A proxy for the server at `url` that can lose its replies, after the server has done the work. */
export async function lossyProxy(url: string): Promise<LossyProxy> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  let losing = false
  let swallowing = false
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    client.on('data', (data) => {
      if (!swallowing) server.write(data)
    })
    server.on('data', (data) => {
      if (swallowing) return
      if (losing) client.destroy()
      else client.write(data)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  cleanUp(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = new URL(url)
  address.port = String((proxy.address() as { port: number }).port)
  return {
    url: address.href,
    loseReplies() {
      losing = true
    },
    swallow() {
      swallowing = true
    },
    heal() {
      for (const socket of sockets) socket.destroy()
      losing = false
      swallowing = false
    },
    moveTo(other) {
      target = new URL(other)
      for (const socket of sockets) socket.destroy()
    },
  }
}
