import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'

/*
 * Floods of one server from outside. Each of them returns a function that ends it. A client of a flood sends what it likes, and
 * accepts that the server closes its connection.
 */

export type Flood = () => void | Promise<void>

/** What hostile clients do with their connections. */
export interface HostileClients {
  readonly count: number
  /** Written at once. */
  readonly first: (n: number) => string
  /** Written again and again until the end. */
  readonly again?: string
  /** Reads nothing. */
  readonly isDeaf?: boolean
  /** Opens a new connection where the server closes one. */
  readonly returns?: boolean
}

const AGAIN_MS = 50

export function connections(url: string, { count, first, again, isDeaf, returns }: HostileClients): Flood {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let isOver = false

  function begin(n: number) {
    const socket = connect(Number(port), hostname)
    open.add(socket)
    socket.on('error', () => {})
    if (isDeaf) socket.pause()
    else socket.resume()
    socket.write(first(n))
    socket.once('close', () => {
      open.delete(socket)
      if (returns && !isOver) setTimeout(() => isOver || begin(n), AGAIN_MS)
    })
  }

  for (let n = 0; n < count; n++) begin(n)
  const writing = setInterval(() => {
    if (again) for (const socket of open) if (socket.writableLength < 100_000) socket.write(again)
  }, AGAIN_MS)
  return () => {
    isOver = true
    clearInterval(writing)
    for (const socket of open) socket.destroy()
  }
}

export interface HostileSockets {
  readonly count: number
  /** By its X-Forwarded-For. */
  readonly address: (n: number) => string
  /** Sent after the greeting; null: the client never greets. */
  readonly messages: readonly object[] | null
  readonly isDeaf?: boolean
  /** Connects again at once, whenever the server or the flood ends a socket. */
  readonly returns?: boolean
}

/** Resolves when every socket is open or refused. */
export async function sockets(
  url: string,
  { count, address, messages, isDeaf, returns }: HostileSockets,
): Promise<Flood & { reconnect(): void }> {
  const open = new Set<WebSocket>()
  let isOver = false

  function begin(n: number): Promise<void> {
    const headers = { 'x-forwarded-for': address(n) }
    const ws = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers })
    open.add(ws)
    return new Promise((resolve) => {
      ws.on('error', () => {})
      ws.once('open', () => {
        if (isDeaf) ws.pause()
        if (messages) ws.send('{"type":"connection_init"}')
        for (const message of messages ?? []) ws.send(JSON.stringify(message))
        resolve()
      })
      ws.once('close', () => {
        open.delete(ws)
        if (returns && !isOver) setTimeout(() => isOver || void begin(n), AGAIN_MS)
        resolve()
      })
    })
  }

  await Promise.all(Array.from({ length: count }, (_, n) => begin(n)))
  const end = () => {
    isOver = true
    for (const ws of open) ws.terminate()
  }
  return Object.assign(end, {
    reconnect: () => {
      for (const ws of open) ws.terminate()
    },
  })
}

/** Repeats a request, so many at once, as fast as the server answers. */
export function requests(atOnce: number, send: (n: number) => Promise<unknown>): Flood {
  let isOver = false
  let n = 0
  const running = Array.from({ length: atOnce }, async () => {
    while (!isOver) await send(n++).catch(() => {})
  })
  return async () => {
    isOver = true
    await Promise.all(running)
  }
}
