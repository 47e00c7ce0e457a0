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

/** Reads a body of at most `limit` bytes; throws BadRequest (413) for a longer one, and reads no more of it. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
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
