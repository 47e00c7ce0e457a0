import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port, logs the address, and ends with its parent process. */
export function listen(server: Server): void {
  server.keepAliveTimeout = 75_000
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`${JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` })}\n`)
  })
  process.once('disconnect', () => process.exit())
  process.once('SIGTERM', () => process.exit())
}
