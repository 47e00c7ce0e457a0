import { createHash } from 'node:crypto'
import { importJWK, type JSONWebKeySet } from 'jose'

/** The content of a code from a door, as docs/scanners.md defines it. */
export interface TicketCode {
  readonly eventId: string
  readonly ticketId: string
  readonly no: number
  readonly sectionId: string
  /** Null for general admission. */
  readonly seatId: string | null
}

interface SignedCode extends TicketCode {
  readonly keyId: Uint8Array
  readonly signed: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
}

const PREFIX = 'FG1:'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
const FIELDS_BYTES = 14
const SIGNATURE_BYTES = 64

/** Reads a code. Returns null for a text that is no code of a ticket; the signature is not checked yet. */
export function readCode(text: string): SignedCode | null {
  if (!text.startsWith(PREFIX)) return null
  const bytes = fromBase45(text.slice(PREFIX.length))
  if (!bytes || bytes.length <= FIELDS_BYTES + SIGNATURE_BYTES) return null
  const content = bytes.subarray(0, -SIGNATURE_BYTES)
  const event = Buffer.from(content.subarray(FIELDS_BYTES)).toString('latin1')
  if (!/^[a-z0-9]+$/.test(event)) return null
  const fields = new DataView(content.buffer, content.byteOffset)
  const [no, section, seat] = [fields.getUint32(4), fields.getUint16(8), fields.getUint32(10)]
  return {
    eventId: `evt_${event}`,
    ticketId: `tkt_${event}_${no}`,
    no,
    sectionId: `sec_${event}_${section}`,
    seatId: seat === 0 ? null : `seat_${event}_${seat}`,
    keyId: content.subarray(0, 4),
    signed: new Uint8Array(Buffer.concat([Buffer.from(PREFIX), content])),
    signature: new Uint8Array(bytes.subarray(-SIGNATURE_BYTES)),
  }
}

/** True where one of the keys has signed the code. */
export async function isSigned(
  { keyId, signed, signature }: SignedCode,
  set: JSONWebKeySet,
): Promise<boolean> {
  for (const jwk of set.keys) {
    const id = createHash('sha256')
      .update(jwk.kid ?? '')
      .digest()
      .subarray(0, 4)
    if (jwk.crv !== 'Ed25519' || !id.equals(keyId)) continue
    const key = (await importJWK(jwk, 'EdDSA')) as CryptoKey
    if (await crypto.subtle.verify('Ed25519', key, signature, signed)) return true
  }
  return false
}

/** RFC 9285. Null for a text that no bytes encode to. */
function fromBase45(text: string): Uint8Array | null {
  if (text.length % 3 === 1) return null
  const bytes: number[] = []
  for (let i = 0; i < text.length; i += 3) {
    const group = text.slice(i, i + 3)
    let value = 0
    for (let at = group.length - 1; at >= 0; at--) {
      const digit = ALPHABET.indexOf(group[at] as string)
      if (digit < 0) return null
      value = value * 45 + digit
    }
    if (value >= (group.length === 3 ? 65_536 : 256)) return null
    if (group.length === 3) bytes.push(value >> 8)
    bytes.push(value & 255)
  }
  return Uint8Array.from(bytes)
}
