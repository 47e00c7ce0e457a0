import type { IncomingMessage } from 'node:http'
import { countPieces, LEAST_PIECE } from './pieces.ts'

/** Refuses a request that cannot be read, with the status and the message of the response. */
export class BadRequest extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'BadRequest'
    this.status = status
  }
}

/**
 * Reads a body of at most `limit` bytes. Throws BadRequest for a longer body (413), without reading the rest, for a compressed body
 * (415), whose length is unknown until it is decompressed, and for a body that comes in thousands of tiny pieces (400).
 *
 * @param take receives the bytes as they arrive; what it throws ends the reading
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  take: (chunk: Buffer) => void = () => {},
): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new BadRequest(415, `The body must not be compressed: "${encoding}" is not supported.`)
  const tooLarge = () => new BadRequest(413, `The body may have at most ${limit} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  return gather(request, limit, tooLarge, take)
}

const tooManyPieces = () =>
  new BadRequest(400, `The body must come in pieces of at least ${LEAST_PIECE} bytes.`)

/** Reads by events: iterating over the request would double the cost of reading it. */
function gather(
  request: IncomingMessage,
  limit: number,
  tooLarge: () => BadRequest,
  take: (chunk: Buffer) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const isWithin = countPieces()
    const gone = () => {
      if (!request.readableEnded) reject(new BadRequest(400, 'The body ended too soon.'))
    }
    if (request.destroyed) return gone()
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > limit) throw tooLarge()
        if (!isWithin(chunk.length)) throw tooManyPieces()
        take(chunk)
        chunks.push(chunk)
      } catch (error) {
        request.pause().removeAllListeners('data')
        // The response may outlive the body.
        chunks.length = 0
        reject(error)
      }
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    // A request that breaks off always emits `close`; it emits `error` only to a listener.
    request.on('close', gone)
  })
}
