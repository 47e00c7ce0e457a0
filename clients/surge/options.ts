import { parseArgs } from 'node:util'

export interface Options {
  fans: number
  url: string
  /** Null: the demo, or an event of its own where the demo is over. */
  slug: string | null
  seed: number
  /** The whole run ends after so many minutes, whatever has become of it. */
  minutes: number
}

/** What the caller got wrong, as one sentence that names the flag. */
export class BadOption extends Error {}

export const HELP = `npm run surge -- [flags]

Lets a crowd into a running Fairgate, through its public API alone: people join the line, wait (half of them
on a WebSocket, half by asking), look at the hall, collide on seats, hold, abandon one time in three, pay, get
declined one time in twenty. Ends with a report, and with exit code 1 where the sale does not add up.

  --fans N       how many people come: 1 to 20000. Default 3000, enough to sell the demo's 1,231 seats out
  --url URL      where Fairgate runs. Default http://localhost:4000
  --slug SLUG    the event. Default: demo; and where the demo is over or missing, a new event of its own
                 (rehearsal-1, rehearsal-2 …) with the same hall, on sale 20 seconds later
  --seed N       makes the crowd decide the same way again. Default: another one each time; it is printed
  --minutes N    ends by itself after so long: 1 to 120. Default 15
  --help         this text

It waits for a sale that is not open yet. Accounts come from POST /dev/token, so it needs a Fairgate in its
embedded mode (npm start). People come from addresses of their own (198.18.0.0/15), which X-Forwarded-For says
and only a Fairgate that trusts this machine's address believes (TRUSTED_PROXIES; its embedded mode does, on the
same machine): elsewhere the limit on joins from one address holds the crowd up. Where the sale asks for proof
that no script joins, everybody's work is done here, which takes its time. To sell the demo itself again, begin anew: npm start -- --reset
`

/** Reads the command line; null where help was asked for. Throws BadOption. */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args)
  if (values.help) return null
  const url = URL.parse(values.url ?? 'http://localhost:4000')
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new BadOption(`--url must be an address such as http://localhost:4000, and is ${values.url}`)
  }
  if (values.slug !== undefined && values.slug.trim() === '') throw new BadOption('--slug must name an event')
  return {
    fans: whole('--fans', values.fans, 1, 20_000, 3_000),
    url: url.origin,
    slug: values.slug ?? null,
    seed: whole('--seed', values.seed, 0, 2 ** 32 - 1, Math.floor(Math.random() * 2 ** 32)),
    minutes: whole('--minutes', values.minutes, 1, 120, 15),
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
        minutes: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new BadOption((error as Error).message)
  }
}

function whole(flag: string, text: string | undefined, min: number, max: number, fallback: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new BadOption(`${flag} must be a whole number from ${min} to ${max}, and is ${text}`)
}
