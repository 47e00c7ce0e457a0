import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keys } from '../../keys.ts'
import type { Clock } from '../clock.ts'

/** The documents that a link opens: an order's tickets, or one ticket's pass for a phone's wallet. */
export type DocumentKind = 'tickets.pdf' | 'pass.pkpass'

/** Links to documents. The holder of a link needs no account: a browser or a phone's wallet opens it. */
export interface Links {
  /** The query of a link to a document of this id. */
  sign(kind: DocumentKind, id: string): Promise<string>
  /** False for a query that this service did not sign for the document, or that has expired. */
  verify(kind: DocumentKind, id: string, query: URLSearchParams): Promise<boolean>
}

/** A link is valid for one to two of these periods: within a period its text stays the same, so clients see no change. */
const PERIOD_SECONDS = 3_600

export function createLinks({ keys, clock }: { keys: Pick<Keys, 'tokens'>; clock: Clock }): Links {
  const seconds = async () => (await clock.now()).getTime() / 1_000

  return {
    async sign(kind, id) {
      const until = String((Math.floor((await seconds()) / PERIOD_SECONDS) + 2) * PERIOD_SECONDS)
      return `until=${until}&signature=${signatureOf(keys.tokens[0].secret, kind, id, until).toString('base64url')}`
    },

    async verify(kind, id, query) {
      const until = query.get('until') ?? ''
      const given = Buffer.from(query.get('signature') ?? '', 'base64url')
      const isSigned = keys.tokens.some(({ secret }) => {
        const expected = signatureOf(secret, kind, id, until)
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
      return isSigned && Number(until) > (await seconds())
    },
  }
}

/** No token of this key ring contains a line feed, so no signature of a link is one of a token. */
function signatureOf(secret: Uint8Array, kind: DocumentKind, id: string, until: string): Buffer {
  return createHmac('sha256', secret).update(`${kind}\n${id}\n${until}`).digest()
}
