import { parseArgs } from 'node:util'

export interface Options {
  fans: number
  url: string
  /** Null: the demo, or a new event if the demo is over. */
  slug: string | null
  seed: number
  /** Accounts at one address that hold and never pay. Above 0 the rehearsal runs twice, on new events. */
  hoarders: number
  /** The run ends after this many minutes in any case. */
  minutes: number
  /** The audit waits this many seconds for orders and captures to settle. */
  settleSeconds: number
}

/** A wrong flag; the message is one sentence that names it. */
export class BadOption extends Error {}

export const HELP = `npm run surge -- [flags]

Simulates a crowd against a running Fairgate, through its public API alone. Fans join the line, wait (half of
them on a WebSocket, half by polling), look at the hall, collide on seats and hold. One in three abandons the
hold; the others pay, and one card in twenty is declined. The run ends with a report. The exit code is 1 if the
sale does not add up.

  --fans N       number of fans: 1 to 20000. Default 3000, enough to sell out the demo's 1,231 seats
  --url URL      the address of Fairgate. Default http://localhost:4000
  --slug SLUG    the event. Default: demo. If the demo is over or missing, the surge creates an event with the
                 same hall (rehearsal-1, rehearsal-2 …), which goes on sale 20 seconds later
  --hoarders N   0 to 500 accounts at one address that hold seats and never pay. The rehearsal then runs twice, each time
                 on a new event: without and with the limits on the seats that one address or device may hold. The last
                 table compares the fans' share. --minutes is the longest duration of each run
  --seed N       the seed of the crowd's decisions: the same seed repeats them. Default: random; it is printed
  --minutes N    the longest duration: 1 to 120. Default 15
  --settle N     seconds that orders have to settle before a fault is reported: 1 to 600. Default 30
  --help         this text

The surge waits for a sale that is not open yet. It gets accounts from POST /dev/token, so Fairgate must run in
its embedded mode (npm start). Each fan has an address of their own (198.18.0.0/15), which the surge sends in
X-Forwarded-For. Fairgate accepts it only from an address in TRUSTED_PROXIES; the embedded mode trusts its own
machine. Otherwise the limit on joins from one address slows the crowd down. If the sale requires a challenge,
this process solves it for every fan, which takes time. To sell the demo again: npm start -- --reset
`

/** Reads the command line. Returns null for --help. Throws BadOption. */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args)
  if (values.help) return null
  const url = URL.parse(values.url ?? 'http://localhost:4000')
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new BadOption(`--url must be an address such as http://localhost:4000, not ${values.url}`)
  }
  if (values.slug !== undefined && values.slug.trim() === '') throw new BadOption('--slug must name an event')
  return {
    fans: whole('--fans', values.fans, 1, 20_000, 3_000),
    url: url.origin,
    slug: values.slug ?? null,
    hoarders: hoardersOf(values),
    seed: whole('--seed', values.seed, 0, 2 ** 32 - 1, Math.floor(Math.random() * 2 ** 32)),
    minutes: whole('--minutes', values.minutes, 1, 120, 15),
    settleSeconds: whole('--settle', values.settle, 1, 600, 30),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        fans: { type: 'string' },
        url: { type: 'string' },
        slug: { type: 'string' },
        seed: { type: 'string' },
        hoarders: { type: 'string' },
        minutes: { type: 'string' },
        settle: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new BadOption((error as Error).message)
  }
}

function hoardersOf({ hoarders, slug }: ReturnType<typeof parse>): number {
  const count = whole('--hoarders', hoarders, 0, 500, 0)
  if (count > 0 && slug !== undefined)
    throw new BadOption('--hoarders runs on events of its own: leave --slug out')
  return count
}

function whole(flag: string, text: string | undefined, min: number, max: number, fallback: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new BadOption(`${flag} must be a whole number from ${min} to ${max}, not ${text}`)
}
