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
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
