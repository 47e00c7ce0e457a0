import { readHolders, releaseHolds } from '../sdk/admin.ts'
import type { Holder, HolderInput } from '../sdk/index.ts'
import { type Command, CommandError, parseFlags } from './command.ts'
import { asOps, TOKEN_HELP } from './opsClient.ts'

const HELP = `fairgate holders <slug or event id> [--most N] [--server URL]
fairgate holders <slug or event id> --release account:ID --reason TEXT
fairgate holders <slug or event id> --release address:DIGEST --reason TEXT
fairgate holders <slug or event id> --release device:DIGEST --reason TEXT

Lists the accounts with live holds of an event: those of the internet address or the device with the most held seats
first. Addresses and devices are digests, and exist only while a hold lives. With --release the command ends the live
holds of an account, of all accounts at an address, or of all accounts on a device. A hold that an order is paying for
stays. The audit trail records the release. Release again where such accounts hold again, or lower heldPerAddress.

  --most N       the most accounts to list: 1 to 10000. Default 50
  --json         the list as JSON
  --release WHO  what to release: copy it from the list
  --reason TEXT  the reason for the audit trail
  --server URL   the address of Fairgate. Default http://localhost:4000
  --help         this text

${TOKEN_HELP}`

export const holders: Command = {
  name: 'holders',
  summary: 'lists the accounts that hold seats, and releases their holds',
  help: HELP,
  async run(args) {
    const { values, positionals } = parse(args)
    const [event, ...more] = positionals
    if (event === undefined || more.length > 0) throw new CommandError('Give one event: its slug or its id')
    const most = wholeNumber(values.most ?? '50')
    const holder = values.release === undefined ? null : readHolder(values.release)
    if (holder && !values.reason) throw new CommandError('--reason is missing: the audit trail records it')
    return asOps(values.server, event, async (fairgate, eventId) => {
      if (holder && values.reason) {
        const { released, seats, inCheckout } = await releaseHolds(fairgate.client, {
          eventId,
          holder,
          reason: values.reason,
        })
        const stay = inCheckout > 0 ? ` ${inCheckout} holds stay: orders are paying for them.` : ''
        return { text: `Released ${released} holds with ${seats} seats.${stay}\n`, code: 0 }
      }
      const found = await readHolders(fairgate.client, eventId, most)
      return { text: values.json ? `${JSON.stringify(found, null, 2)}\n` : table(found), code: 0 }
    })
  },
}

function parse(args: string[]) {
  return parseFlags(args, {
    most: { type: 'string' },
    json: { type: 'boolean' },
    release: { type: 'string' },
    reason: { type: 'string' },
    server: { type: 'string', default: 'http://localhost:4000' },
  })
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= 10_000) return value
  throw new CommandError(`--most must be a whole number from 1 to 10000, not ${text}`)
}

function readHolder(text: string): HolderInput {
  const [, kind, value] = /^(account|address|device):(.+)$/.exec(text) ?? []
  if (!kind || !value)
    throw new CommandError(`--release must be account:…, address:… or device:…, not ${text}`)
  return { [kind]: value } as unknown as HolderInput
}

const COLUMNS: readonly [string, (holder: Holder) => string | number][] = [
  ['account', ({ accountId }) => accountId],
  ['seats', ({ seats }) => seats],
  ['holds', ({ holds }) => holds],
  ['paying', ({ holdsPaying }) => holdsPaying],
  ['made', ({ holdsMade }) => holdsMade],
  ['unpaid', ({ holdsUnpaid }) => holdsUnpaid],
  ['tickets', ({ tickets }) => tickets],
  ['until', ({ heldUntil }) => heldUntil.slice(11, 19)],
  ['address', ({ address }) => address ?? '-'],
  ['seats there', ({ addressSeats }) => addressSeats ?? '-'],
  ['device', ({ device }) => device ?? '-'],
  ['seats on it', ({ deviceSeats }) => deviceSeats ?? '-'],
]

function table(found: readonly Holder[]): string {
  if (found.length === 0) return 'No account holds a seat.\n'
  const rows = [
    COLUMNS.map(([name]) => name),
    ...found.map((one) => COLUMNS.map(([, of]) => String(of(one)))),
  ]
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
