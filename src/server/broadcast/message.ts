/** One message for many sockets: a WebSocket frame in which only the operation's id differs between sockets. */
export interface Message {
  /**
   * Returns the frame for the operation of this id, which is a result of `quotedId`. The next call overwrites the frame:
   * call `leave` first where a socket has not written all of it.
   */
  frame(id: string): Buffer
  /** Keeps the last frame as it is: further frames get other memory. */
  leave(): void
}

// A message of type `next` in the protocol graphql-transport-ws.
const BEFORE = Buffer.from('{"id":')
const AFTER = Buffer.from(',"type":"next","payload":')

/** Returns the id as a JSON string in ASCII: one byte for each character. */
export function quotedId(id: string): string {
  return JSON.stringify(id).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns the message. `payload` follows the id, and includes the closing brace of the message. */
export function createMessage(payload: Buffer): Message {
  let bytes = Buffer.alloc(0)
  let frame = bytes
  let idAt = 0
  let idLength = -1

  /** Writes the head so that it ends where the payload begins: the payload is copied once for ids of any length. */
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

/** The header of a text frame with a payload of `length` bytes (RFC 6455, section 5.2). */
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
