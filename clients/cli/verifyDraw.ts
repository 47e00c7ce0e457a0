import { type Command, CommandError, parseFlags } from './command.ts'
import { commitmentOf, placesOf } from './draw.ts'

const HELP = `fairgate verify-draw <address> --arrival N [--place P] [--commitment HEX] [--size N]
fairgate verify-draw <event id> [--server URL] …the same
fairgate verify-draw --event ID --seed HEX --commitment HEX --size N [--beacon TEXT] --arrival N [--place P]

Checks with public data alone that a place in the line is the one that the draw gives. docs/draw.md explains the
draw, what it proves and what it does not prove.

The first two forms read the draw from the event's waiting-room.json and compare it with the other flags: the values
that you noted or got from another source. The third form uses the flags alone.

  --arrival N       your arrival index, as the page or app showed it before the opening
  --place P         your place; without it the command only prints the right place
  --commitment HEX  the commitment that you noted before the opening. It proves that the commitment was not replaced
  --size N          the number of fans in the line when it was frozen. If the sale uses a beacon, give the number that
                    you noted before the beacon was known. It proves that the size was not chosen to fit the beacon
  --server URL      the address of Fairgate, for an event id. Default http://localhost:4000
  --event, --seed, --beacon   the rest of the draw, as published after the opening
  --help            this text

Exit codes: 0 right; 1 not possible to check; 2 a published value differs from a noted one, or the seed does not match
the commitment; 3 late, so not in the draw (the place is the arrival index); 4 another place is right; 5 no draw yet.
`

const CODES = { right: 0, wrongDraw: 2, late: 3, wrongPlace: 4, notYet: 5 } as const

/** The published data of a draw. `seed` is null before the draw. */
interface Published {
  readonly eventId: string
  readonly commitment: string
  readonly seed: string | null
  readonly size: number | null
  readonly beaconSource: string | null
  readonly beacon: string
}

/** The values that the caller noted; only those that were given. */
type Noted = Partial<Record<'event id' | 'commitment' | 'seed' | 'size' | 'beacon', string>>

/** A larger draw fits no stadium and no memory. */
const LARGEST = 100_000_000
const TIMEOUT_MS = 10_000

const SIZE_NOT_NOTED =
  '\n  Also check that this size was published before the beacon was known: add --size, as you noted it.'

export const verifyDraw: Command = {
  name: 'verify-draw',
  summary: 'checks that a place in the line is the one that the draw gives',
  help: HELP,
  async run(args) {
    const { values, positionals } = parse(args)
    const arrival = whole('--arrival', values.arrival)
    if (arrival === null) throw new CommandError('--arrival is missing: give the arrival index to check')
    const place = whole('--place', values.place)
    const noted = readNoted(values)
    const draw = await (positionals.length > 0
      ? readPublished(positionals, values.server)
      : readFlags(values, noted))
    const { verdict, text } = verify(draw, noted, arrival, place)
    return { text: `${text}\n`, code: CODES[verdict] }
  },
}

function verify(
  draw: Published,
  noted: Noted,
  arrival: number,
  place: number | null,
): { verdict: keyof typeof CODES; text: string } {
  const { eventId, seed, size, beaconSource, beacon } = draw
  const commitment = draw.commitment.toLowerCase()
  const published = {
    'event id': eventId,
    commitment,
    seed: seed?.toLowerCase(),
    size: size?.toString(),
    // The beacon is also empty before the draw.
    beacon: seed === null ? undefined : beacon,
  }
  for (const [name, known] of Object.entries(noted)) {
    const value = published[name as keyof Noted]
    if (value === undefined || value === known) continue
    const text = `WRONG: the ${name} is not the one you noted.\n  noted      ${known}\n  published  ${value}`
    return { verdict: 'wrongDraw', text }
  }
  if (seed === null || size === null) {
    const frozen =
      size === null ? '' : ` The line is frozen with ${size} fans and waits for: ${beaconSource}.`
    return { verdict: 'notYet', text: `${eventId} has no draw yet.${frozen}` }
  }
  const right = commitmentOf(seed)
  if (right !== commitment) {
    const text = `WRONG: the seed does not match the commitment.\n  SHA-256 of the seed  ${right}\n  commitment           ${commitment}`
    return { verdict: 'wrongDraw', text }
  }
  const isLate = arrival > size
  const drawn = isLate ? arrival : (placesOf({ eventId, seed, size, beacon })[arrival - 1] as number)
  if (place !== null && place !== drawn) {
    const text = `WRONG: arrival ${arrival} of ${eventId} has place ${drawn}, not ${place}.`
    return { verdict: 'wrongPlace', text }
  }
  if (isLate) {
    const text = `LATE: the draw of ${eventId} had ${size} fans, and arrival ${arrival} came after them. Its place is ${drawn}, by order of arrival.`
    return { verdict: 'late', text }
  }
  const verb = place === null ? 'has' : 'has, as it should,'
  const source =
    beacon === ''
      ? ''
      : `\n  Beacon: ${beacon} (from: ${beaconSource ?? 'see the event'}). Compare it with that source.${
          noted.size === undefined ? SIZE_NOT_NOTED : ''
        }`
  return {
    verdict: 'right',
    text: `Right: arrival ${arrival} of ${eventId} ${verb} place ${drawn} of ${size} drawn.\n  The seed matches the commitment ${commitment}.${source}`,
  }
}

async function readPublished(positionals: readonly string[], server: string | undefined): Promise<Published> {
  const [event = '', ...more] = positionals
  if (more.length > 0) throw new CommandError(`give one event; ${more.join(' ')} is too much`)
  if (isAddress(event) && server !== undefined)
    throw new CommandError(`--server needs an event id, but ${event} is a whole address`)
  const url = addressOf(event, server ?? 'http://localhost:4000')
  const sale = await read(url)
  const draw = sale?.waitingRoom?.draw
  if (!draw) throw new CommandError(`${url} has no draw: the sale may have no waiting room`)
  if (typeof draw.commitment !== 'string') throw new CommandError(`${url} has a draw without its commitment`)
  if (draw.size > LARGEST) throw new CommandError(`${url} has a draw of ${draw.size}, which is not possible`)
  return { eventId: sale.eventId, ...draw }
}

function addressOf(event: string, server: string): URL {
  if (isAddress(event)) return addressIn(event, event)
  return addressIn(`/events/${encodeURIComponent(event)}/waiting-room.json`, server)
}

function isAddress(event: string): boolean {
  return /^https?:\/\//.test(event)
}

function addressIn(path: string, server: string): URL {
  const url = URL.parse(path, server)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${server} is not an address such as https://tickets.example`)
  return url
}

// biome-ignore lint/suspicious/noExplicitAny: the code checks the server's data where it uses it
async function read(url: URL): Promise<any> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.status === 404) throw new CommandError(`there is no such event: ${url}`)
    if (!response.ok) throw new CommandError(`${url} returns status ${response.status}`)
    return await response.json()
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${url} cannot be read: ${(error as Error).message}`)
  }
}

function readFlags(
  { server }: Values,
  { 'event id': event, seed, commitment, size, beacon = '' }: Noted,
): Published {
  const missing = Object.entries({ event, seed, commitment, size }).flatMap(([flag, value]) =>
    value === undefined ? [`--${flag}`] : [],
  )
  if (missing.length > 0)
    throw new CommandError(`give an event's address or id, or its whole draw: ${missing.join(', ')} missing`)
  if (server !== undefined)
    throw new CommandError('--server needs an event id: with these flags no server is called')
  return {
    eventId: event as string,
    seed: seed as string,
    commitment: commitment as string,
    size: Number(size),
    beaconSource: null,
    beacon,
  }
}

type Values = ReturnType<typeof parse>['values']

function readNoted({ event, seed, commitment, size, beacon }: Values): Noted {
  return {
    ...(event !== undefined && { 'event id': event }),
    ...(commitment !== undefined && { commitment: hex('--commitment', commitment) }),
    ...(seed !== undefined && { seed: hex('--seed', seed) }),
    ...(size !== undefined && { size: size === '0' ? size : String(whole('--size', size)) }),
    ...(beacon !== undefined && { beacon }),
  }
}

function parse(args: string[]) {
  return parseFlags(args, {
    arrival: { type: 'string' },
    place: { type: 'string' },
    commitment: { type: 'string' },
    server: { type: 'string' },
    event: { type: 'string' },
    seed: { type: 'string' },
    size: { type: 'string' },
    beacon: { type: 'string' },
  })
}

function whole(flag: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > LARGEST)
    throw new CommandError(`${flag} must be a whole number from 1 to ${LARGEST}, not ${value}`)
  return number
}

function hex(flag: string, value: string): string {
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new CommandError(`${flag} must be 64 hexadecimal digits`)
  return value.toLowerCase()
}
