import type { Duplex } from 'node:stream'

/** Sends an answer without a body on a connection that has no ServerResponse, and closes it. */
export function sendBareAnswer(
  stream: Duplex,
  status: string,
  security: readonly string[],
  headers: readonly string[] = [],
): void {
  const all = [
    'connection',
    'close',
    'content-length',
    '0',
    'cache-control',
    'no-store',
    ...headers,
    ...security,
  ]
  let head = `HTTP/1.1 ${status}\r\n`
  for (let i = 0; i < all.length; i += 2) head += `${all[i]}: ${all[i + 1]}\r\n`
  // Node's HTTP server watches such a connection no more: a client that stays would keep it open.
  stream.end(`${head}\r\n`, () => stream.destroy())
}
