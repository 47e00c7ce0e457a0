import type { IncomingMessage } from 'node:http'

/** A request that is refused before it means anything, with the status and the sentence to refuse it with. */
export class BadRequest extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'BadRequest'
    this.status = status
  }
}

/**
 * Reads a body of at most `limit` bytes; throws BadRequest for a longer one (413), and reads no more of it, and for one
 * that is compressed (415): how long that is nobody knows before it is read.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new BadRequest(415, `The body must not be compressed: "${encoding}" is not taken.`)
  const tooLarge = () => new BadRequest(413, `The body may have at most ${limit} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  return gather(request, limit, tooLarge)
}

/** By its events: to iterate over a request costs as much as all the rest of reading it. */
function gather(request: IncomingMessage, limit: number, tooLarge: () => BadRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const gone = () => {
      if (!request.readableEnded) reject(new BadRequest(400, 'The body ended too soon.'))
    }
    if (request.destroyed) return gone()
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) return chunks.push(chunk)
      request.pause().removeAllListeners('data')
      reject(tooLarge())
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    // Of a request that breaks off Node tells an error only where somebody listens for it, and this in any case.
    request.on('close', gone)
  })
}
