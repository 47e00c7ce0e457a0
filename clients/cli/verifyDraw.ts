import { parseArgs } from 'node:util'
import { CannotRun, type Command } from './command.ts'
import { commitmentOf, placesOf } from './places.ts'

const HELP = `fairgate verify-draw <address or event id> --arrival N [--place P] [--commitment HEX] [--server URL]
fairgate verify-draw --event ID --seed HEX --commitment HEX --size N [--beacon TEXT] --arrival N [--place P]

Checks from public data alone that a place in the line is the one that the draw gives. docs/draw.md explains the
draw, and what it proves and what not.

The first form reads the draw from the event's waiting-room.json, the second takes it from the flags.

  --arrival N       your arrival index: the n-th to join, as your page or your app showed it before the opening
  --place P         the place that you were given; without it the right one is only told
  --commitment HEX  the commitment as you noted it before the opening: then nobody can have exchanged it since
  --server URL      where Fairgate runs, for an event id. Default http://localhost:4000
  --event, --seed, --size, --beacon   the draw, as published after the opening
  --help            this text

Exit codes: 0 right; 1 it cannot be checked; 2 the commitment does not match; 3 late, so not in the draw (and the
place is the arrival index); 4 the place is another one; 5 the draw is not made yet.
`

const CODES = { right: 0, wrongCommitment: 2, late: 3, wrongPlace: 4, notYet: 5 } as const

/** What is published of a draw; `seed` null: it is not made yet. */
interface Published {
  readonly eventId: string
  readonly commitment: string
  readonly seed: string | null
  readonly size: number | null
  readonly beaconSource: string | null
  readonly beacon: string
}

/** More would not fit into a stadium, nor into memory. */
const LARGEST = 100_000_000
const PATIENCE_MS = 10_000

export const verifyDraw: Command = {
  name: 'verify-draw',
  summary: 'checks that a place in the line is the one that the draw gives',
  help: HELP,
  async run(args) {
    const { values, positionals } = parse(args)
    const arrival = whole('--arrival', values.arrival)
    if (arrival === null) throw new CannotRun('--arrival is missing: which arrival index is to be checked?')
    const place = whole('--place', values.place)
    const noted = values.commitment === undefined ? null : hex('--commitment', values.commitment)
    const draw = await (positionals.length > 0
      ? readPublished(positionals, values.server)
      : readFlags(values))
    const { verdict, text } = verify(draw, noted, arrival, place)
    return { text: `${text}\n`, code: CODES[verdict] }
  },
}

function verify(
  draw: Published,
  noted: string | null,
  arrival: number,
  place: number | null,
): { verdict: keyof typeof CODES; text: string } {
  const { eventId, seed, size, beaconSource, beacon } = draw
  const commitment = draw.commitment.toLowerCase()
  if (noted !== null && noted !== commitment) {
    const text = `WRONG: the commitment is not the one you noted.\n  noted      ${noted}\n  published  ${commitment}`
    return { verdict: 'wrongCommitment', text }
  }
  if (seed === null || size === null) {
    const frozen = size === null ? '' : ` The line is frozen with ${size}, and waits for: ${beaconSource}.`
    return { verdict: 'notYet', text: `The draw of ${eventId} is not made yet.${frozen}` }
  }
  const right = commitmentOf(seed)
  if (right !== commitment) {
    const text = `WRONG: the seed is not the one that was committed to.\n  SHA-256 of the seed  ${right}\n  commitment           ${commitment}`
    return { verdict: 'wrongCommitment', text }
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
      : `\n  Mixed in: ${beacon} (from: ${beaconSource ?? 'see the event'}). Look it up there.`
  return {
    verdict: 'right',
    text: `Right: arrival ${arrival} of ${eventId} ${told} place ${drawn} of ${size} drawn.\n  The seed matches the commitment ${commitment}.${source}`,
  }
}

async function readPublished(positionals: readonly string[], server: string | undefined): Promise<Published> {
  const [event = '', ...more] = positionals
  if (more.length > 0) throw new CannotRun(`one event at a time: ${more.join(' ')} is too much`)
  const url = addressOf(event, server ?? 'http://localhost:4000')
  const sale = await read(url)
  const draw = sale?.waitingRoom?.draw
  if (!draw) throw new CannotRun(`${url} tells of no draw: the sale may have no waiting room`)
  if (typeof draw.commitment !== 'string')
    throw new CannotRun(`${url} tells of a draw without its commitment`)
  if (draw.size > LARGEST) throw new CannotRun(`${url} tells of ${draw.size} in the draw: that cannot be`)
  return { eventId: sale.id, ...draw }
}

function addressOf(event: string, server: string): URL {
  if (/^https?:\/\//.test(event)) return addressIn(event, event)
  return addressIn(`/events/${encodeURIComponent(event)}/waiting-room.json`, server)
}

function addressIn(path: string, server: string): URL {
  const url = URL.parse(path, server)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CannotRun(`${server} is no address such as https://tickets.example`)
  return url
}

// biome-ignore lint/suspicious/noExplicitAny: what a server sends is checked where it is used
async function read(url: URL): Promise<any> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (response.status === 404) throw new CannotRun(`there is no such event: ${url}`)
    if (!response.ok) throw new CannotRun(`${url} answers ${response.status}`)
    return await response.json()
  } catch (error) {
    if (error instanceof CannotRun) throw error
    throw new CannotRun(`${url} cannot be read: ${(error as Error).message}`)
  }
}

function readFlags({ event, seed, commitment, size, beacon }: ReturnType<typeof parse>['values']): Published {
  const missing = Object.entries({ event, seed, commitment, size }).flatMap(([flag, value]) =>
    value === undefined ? [`--${flag}`] : [],
  )
  if (missing.length > 0)
    throw new CannotRun(`give an event's address or id, or all of its draw: ${missing.join(', ')} missing`)
  return {
    eventId: event as string,
    seed: hex('--seed', seed as string),
    commitment: hex('--commitment', commitment as string),
    size: size === '0' ? 0 : whole('--size', size),
    beaconSource: null,
    beacon: beacon ?? '',
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
    throw new CannotRun((error as Error).message)
  }
}

function whole(flag: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > LARGEST)
    throw new CannotRun(`${flag} must be a whole number from 1 to ${LARGEST}, and is ${value}`)
  return number
}

function hex(flag: string, value: string): string {
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new CannotRun(`${flag} must be 64 hexadecimal digits`)
  return value.toLowerCase()
}
