import { MessageType } from 'graphql-ws'

/** One message for many sockets: a WebSocket frame in which only the operation's id differs from socket to socket. */
export interface Message {
  /**
   * The whole frame for the operation of this id, as `quotedId` writes it. Good until it is asked for again: whatever
   * is not written by then goes out with another's id, see `leave`.
   */
  frame(id: string): Buffer
  /** The last frame stays as it is, since a socket has not taken all of it yet; those to come are made elsewhere. */
  leave(): void
}

const BEFORE = Buffer.from('{"id":')
const AFTER = Buffer.from(`,"type":"${MessageType.Next}","payload":`)

/** An id as JSON has it, in characters of one byte each. */
export function quotedId(id: string): string {
  return JSON.stringify(id).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** `payload` is what comes after the id, and ends the message. */
export function createMessage(payload: Buffer): Message {
  let bytes = Buffer.alloc(0)
  let frame = bytes
  let idAt = 0
  let idLength = -1

  /** The head ends where the payload begins, so that the payload stays where it is, however long an id is. */
  function layOut(length: number) {
    const head = headerOf(BEFORE.length + length + AFTER.length + payload.length)
    const needed = head.length + BEFORE.length + length + AFTER.length
    const room = bytes.length - payload.length
    if (room < needed) {
      bytes = Buffer.allocUnsafeSlow(needed + payload.length)
      bytes.set(AFTER, needed - AFTER.length)
      bytes.set(payload, needed)
    }
    const start = bytes.length - payload.length - needed
    bytes.set(head, start)
    bytes.set(BEFORE, start + head.length)
    idAt = start + head.length + BEFORE.length
    idLength = length
    frame = bytes.subarray(start)
  }

  return {
    frame(id) {
      if (id.length !== idLength) layOut(id.length)
      bytes.write(id, idAt, 'latin1')
      return frame
    },
    leave() {
      bytes = Buffer.alloc(0)
      idLength = -1
    },
  }
}

const FINAL_TEXT = 0x81

/** Of a text frame that carries so many bytes (RFC 6455, section 5.2). */
function headerOf(length: number): Buffer {
  if (length < 126) return Buffer.from([FINAL_TEXT, length])
  const header = Buffer.alloc(length < 65_536 ? 4 : 10)
  header[0] = FINAL_TEXT
  if (header.length === 4) {
    header[1] = 126
    header.writeUInt16BE(length, 2)
  } else {
    header[1] = 127
    header.writeBigUInt64BE(BigInt(length), 2)
  }
  return header
}
