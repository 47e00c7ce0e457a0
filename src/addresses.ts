import ipaddr from 'ipaddr.js'

/** The addresses that share their first `bits`. */
export type AddressRange = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Names for ranges. */
const NAMED: ReadonlyMap<string, readonly string[]> = new Map([
  ['none', []],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/** Between a carrier's subscribers and its NAT (RFC 6598), and of one link (RFC 3927, RFC 4291). */
const NOT_ROUTED = '100.64.0.0/10, 169.254.0.0/16, fe80::/10'

/** Reads a list such as `loopback, 10.1.0.0/16, 2001:db8::7`. Null where an entry is no address, range or name. */
export function readRanges(text: string): AddressRange[] | null {
  const ranges = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .flatMap((entry) => (NAMED.get(entry) ?? [entry]).map(readRange))
  return ranges.every((range) => range !== null) ? ranges : null
}

function readRange(text: string): AddressRange | null {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const parsed = parseAddress(address)
  if (!parsed) return null
  const most = parsed.kind() === 'ipv4' ? 32 : 128
  const length = bits === undefined ? most : Number(bits)
  return length <= most ? [parsed, length] : null
}

/**
 * Returns the address in a text, with or without a port or brackets; null for any other text. IPv4 written as IPv6
 * (`::ffff:192.0.2.1`) is IPv4. IPv4 must have its four-part form: programs disagree on `127.1` and `0x7f000001`.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // The longest form is an IPv6 address that ends in an IPv4 address, in brackets, with a zone and a port.
  if (text.length > 80) return null
  const [, bracketed, plain] = /^\s*(?:\[([^\]]*)\](?::\d{1,5})?|([^\s]*))\s*$/.exec(text) ?? []
  const address = bracketed ?? (plain ?? '').replace(/^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/, '$1')
  if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return null
  return ipaddr.process(address)
}

export function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([range, bits]) => {
    if (address.kind() !== range.kind()) return false
    return address.match(range, bits)
  })
}

const LOOPBACK = readRanges('loopback') as AddressRange[]

/**
 * True for a host that only this machine reaches: `localhost`, a name below it (RFC 6761), or a loopback address. False for
 * `0.0.0.0` and `::`, on which a server listens to every network.
 */
export function isThisMachine(host: string): boolean {
  if (/^([a-z0-9-]+\.)*localhost\.?$/i.test(host)) return true
  const address = parseAddress(host)
  return address !== null && isWithin(address, LOOPBACK)
}

/**
 * Returns the part of an address that one subscriber of a network has: an IPv4 address, or an IPv6 network of 64 bits.
 * That is the smallest network that providers assign (RFC 6177); a device may change the other 64 bits at any time
 * (RFC 8981). `address` has the form that `parseAddress` and its toString give.
 */
export function subscriberOf(address: string): string {
  if (!address.includes(':')) return address
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv6.parse(address).parts
  return `${[a, b, c, d].map((part) => part.toString(16)).join(':')}::/64`
}

const NOT_PUBLIC = readRanges(`loopback, private, ${NOT_ROUTED}`) as AddressRange[]

/** True for an address of a network that the internet does not route, such as that of a load balancer beside the server. */
export function isPrivate(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return isWithin(address, NOT_PUBLIC)
}

/**
 * True for an address of a host in the internet. False also for the ranges that are reserved, for documentation, multicast, or a
 * translation to IPv4, behind which any address may be.
 */
export function isPublicAddress(text: string): boolean {
  return parseAddress(text)?.range() === 'unicast'
}
