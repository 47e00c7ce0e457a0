import type { IncomingMessage } from 'node:http'

/**
 * The fewest bytes of a piece of a body, on average, after the first pieces. Each piece takes microseconds and hundreds of bytes,
 * whatever its length: 10 MB of chunks of one byte took four seconds of processor time. A network sends at least 500 bytes at once.
 */
export const LEAST_PIECE = 64
const FIRST_PIECES = 256

/** Returns a function that counts a piece of this many bytes. It returns false from the first piece too many on. */
export function countPieces(): (bytes: number) => boolean {
  let pieces = 0
  let length = 0
  return (bytes) => {
    length += bytes
    return ++pieces <= FIRST_PIECES || length >= LEAST_PIECE * (pieces - FIRST_PIECES)
  }
}

/**
 * Drops a body that no route reads, and the rest of a body that comes in too many pieces. To be called when the request arrives:
 * Node parses all that a connection has received before any other code runs, ten thousand chunks at once. False where the
 * connection has to close with the answer.
 */
export function boundBody(request: IncomingMessage, isRead: boolean): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (isRead && encoding !== undefined) boundPieces(request)
  if (isRead || (encoding === undefined && Number(length) === 0)) return true
  dropBody(request)
  return false
}

function boundPieces(request: IncomingMessage): void {
  const isWithin = countPieces()
  const { push } = request
  request.push = (piece: Buffer | null, encoding) => {
    if (piece !== null && !isWithin(piece.length)) dropBody(request)
    return push.call(request, piece, encoding)
  }
}

/**
 * Drops the rest of the body, for a connection that closes with the answer. Node's parser skips a body for which it has no callback;
 * a call for each chunk takes ten times as long.
 */
function dropBody({ socket }: IncomingMessage): void {
  // Node's types do not have the parser. Its properties are numbers.
  const { parser } = socket as unknown as { readonly parser: Record<string, unknown> | null }
  if (!parser) return
  const onBody = Object.entries(parser).find(([, value]) => (value as Named | null)?.name === 'parserOnBody')
  if (!onBody) return
  const [property, callback] = onBody
  parser[property] = undefined
  // Node uses the parser again for another connection.
  socket.once('close', () => {
    parser[property] = callback
  })
}

interface Named {
  readonly name?: unknown
}
