const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'

/**
 * Returns the bytes as text of a QR code's alphanumeric mode (RFC 9285): three characters for two bytes, two for a last one.
 *
 * Not a package: `base45` and `@digitalbazaar/base45` read the whole memory under a slice of a Buffer, or check nothing.
 */
export function toBase45(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 2) {
    const [first = 0, second] = bytes.subarray(i, i + 2)
    const isPair = second !== undefined
    let rest = isPair ? first * 256 + second : first
    for (let digits = isPair ? 3 : 2; digits > 0; digits--) {
      text += ALPHABET[rest % 45]
      rest = Math.floor(rest / 45)
    }
  }
  return text
}
