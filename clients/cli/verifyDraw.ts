import { parseArgs } from 'node:util'
import { type Command, CommandError } from './command.ts'
import { commitmentOf, placesOf } from './draw.ts'

const HELP = `fairgate verify-draw <address> --arrival N [--place P] [--commitment HEX] [--size N]
fairgate verify-draw <event id> [--server URL] …the same
fairgate verify-draw --event ID --seed HEX --commitment HEX --size N [--beacon TEXT] --arrival N [--place P]

Checks from public data alone that a place in the line is the one that the draw gives. docs/draw.md explains the
draw, and what it proves and what not.

The first two read the draw from the event's waiting-room.json, and hold against it whatever else is given: what you
noted, or were told by somebody else. The third takes it from the flags alone.

  --arrival N       your arrival index: the n-th to join, as your page or your app showed it before the opening
  --place P         the place that you were given; without it the right one is only told
  --commitment HEX  the commitment as you noted it before the opening: then nobody can have exchanged it since
  --size N          how many were in the line when it was frozen. Where the sale uses a beacon, as you noted it before
                    the beacon was known: then nobody can have chosen the size that suits them
  --server URL      where Fairgate runs, for an event id. Default http://localhost:4000
  --event, --seed, --beacon   the rest of the draw, as published after the opening
  --help            this text

Exit codes: 0 right; 1 it cannot be checked; 2 what is published is not what was noted, or the seed not what was
committed to; 3 late, so not in the draw (and the place is the arrival index); 4 the place is another one; 5 the draw
is not made yet.
`

const CODES = { right: 0, wrongDraw: 2, late: 3, wrongPlace: 4, notYet: 5 } as const

/** What is published of a draw; `seed` null: it is not made yet. */
interface Published {
  readonly eventId: string
  readonly commitment: string
  readonly seed: string | null
  readonly size: number | null
  readonly beaconSource: string | null
  readonly beacon: string
}

/** What the caller knows of the draw from elsewhere; only what was given. */
type Noted = Partial<Record<'event id' | 'commitment' | 'seed' | 'size' | 'beacon', string>>

/** More would not fit into a stadium, nor into memory. */
const LARGEST = 100_000_000
const PATIENCE_MS = 10_000

const SIZE_NOT_NOTED =
  '\n  See too that the size is the one that was published before the beacon was known: --size, as you noted it.'

export const verifyDraw: Command = {
  name: 'verify-draw',
  summary: 'checks that a place in the line is the one that the draw gives',
  help: HELP,
  async run(args) {
    const { values, positionals } = parse(args)
    const arrival = whole('--arrival', values.arrival)
    if (arrival === null)
      throw new CommandError('--arrival is missing: which arrival index is to be checked?')
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
    // Empty as well before it is given.
    beacon: seed === null ? undefined : beacon,
  }
  for (const [name, known] of Object.entries(noted)) {
    const told = published[name as keyof Noted]
    if (told === undefined || told === known) continue
    const text = `WRONG: the ${name} is not the one you noted.\n  noted      ${known}\n  published  ${told}`
    return { verdict: 'wrongDraw', text }
  }
  if (seed === null || size === null) {
    const frozen = size === null ? '' : ` The line is frozen with ${size}, and waits for: ${beaconSource}.`
    return { verdict: 'notYet', text: `The draw of ${eventId} is not made yet.${frozen}` }
  }
  const right = commitmentOf(seed)
  if (right !== commitment) {
    const text = `WRONG: the seed is not the one that was committed to.\n  SHA-256 of the seed  ${right}\n  commitment           ${commitment}`
    return { verdict: 'wrongDraw', text }
  }
  const isLate = arrival > size
  const drawn = isLate ? arrival : (placesOf({ eventId, seed, size, beacon })[arrival - 1] as number)
  if (place !== null && place !== drawn) {
    const text = `WRONG: arrival ${arrival} of ${eventId} has place ${drawn}, not ${place}.`
    return { verdict: 'wrongPlace', text }
  }
  if (isLate) {
    const text = `LATE: ${size} were in the draw of ${eventId}, and arrival ${arrival} came after them. Its place is ${drawn}, in order of arrival.`
    return { verdict: 'late', text }
  }
  const told = place === null ? 'has' : 'has, as it should,'
  const source =
    beacon === ''
      ? ''
      : `\n  Mixed in: ${beacon} (from: ${beaconSource ?? 'see the event'}). Look it up there.${
          noted.size === undefined ? SIZE_NOT_NOTED : ''
        }`
  return {
    verdict: 'right',
    text: `Right: arrival ${arrival} of ${eventId} ${told} place ${drawn} of ${size} drawn.\n  The seed matches the commitment ${commitment}.${source}`,
  }
}

async function readPublished(positionals: readonly string[], server: string | undefined): Promise<Published> {
  const [event = '', ...more] = positionals
  if (more.length > 0) throw new CommandError(`one event at a time: ${more.join(' ')} is too much`)
  if (isAddress(event) && server !== undefined)
    throw new CommandError(`--server goes with an event id, and ${event} is a whole address`)
  const url = addressOf(event, server ?? 'http://localhost:4000')
  const sale = await read(url)
  const draw = sale?.waitingRoom?.draw
  if (!draw) throw new CommandError(`${url} tells of no draw: the sale may have no waiting room`)
  if (typeof draw.commitment !== 'string')
    throw new CommandError(`${url} tells of a draw without its commitment`)
  if (draw.size > LARGEST) throw new CommandError(`${url} tells of ${draw.size} in the draw: that cannot be`)
  return { eventId: sale.id, ...draw }
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
    throw new CommandError(`${server} is no address such as https://tickets.example`)
  return url
}

// biome-ignore lint/suspicious/noExplicitAny: what a server sends is checked where it is used
async function read(url: URL): Promise<any> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (response.status === 404) throw new CommandError(`there is no such event: ${url}`)
    if (!response.ok) throw new CommandError(`${url} answers ${response.status}`)
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
    throw new CommandError(`give an event's address or id, or all of its draw: ${missing.join(', ')} missing`)
  if (server !== undefined)
    throw new CommandError('--server goes with an event id: with the flags nothing is asked')
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
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        arrival: { type: 'string' },
        place: { type: 'string' },
        commitment: { type: 'string' },
        server: { type: 'string' },
        event: { type: 'string' },
        seed: { type: 'string' },
        size: { type: 'string' },
        beacon: { type: 'string' },
      },
    })
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

function whole(flag: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > LARGEST)
    throw new CommandError(`${flag} must be a whole number from 1 to ${LARGEST}, and is ${value}`)
  return number
}

function hex(flag: string, value: string): string {
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new CommandError(`${flag} must be 64 hexadecimal digits`)
  return value.toLowerCase()
}
