import { setTimeout as sleep } from 'node:timers/promises'
import { readEventRefund, startEventRefund } from '../sdk/admin.ts'
import { type EventRefund, formatMoney } from '../sdk/index.ts'
import { type Command, CommandError, parseFlags } from './command.ts'
import { asOps, TOKEN_HELP } from './opsClient.ts'

const HELP = `fairgate refund-event <slug or event id> --reason TEXT [--per-second N] [--server URL]
fairgate refund-event <slug or event id> --status [--server URL]

Calls an event off: ends its sale, and refunds every order at a rate. The server does the work. The command shows the progress
until all the money is returned, and may be stopped and started again at any time. A second start changes the rate.

  --reason TEXT     the reason, for the audit trail
  --per-second N    orders refunded in a second, 1 to 100. Default 10
  --status          only show the progress
  --server URL      the address of Fairgate. Default http://localhost:4000
  --help            this text

Exit codes: 0 all the money is returned; 1 not possible; 2 the provider refuses refunds for good: see the dead letters.

${TOKEN_HELP}`

const POLL_MS = 1_000

export const refundEvent: Command = {
  name: 'refund-event',
  summary: 'calls an event off and refunds every order',
  help: HELP,
  async run(args) {
    const { values, positionals } = parse(args)
    const [event, ...more] = positionals
    if (event === undefined || more.length > 0) throw new CommandError('Give one event: its slug or its id')
    const { reason, status, server = 'http://localhost:4000' } = values
    if (!status && reason === undefined)
      throw new CommandError('--reason is missing: the audit trail needs it')
    const perSecond = rateOf(values['per-second'])
    return asOps(server, event, async ({ client }, eventId) => {
      const read = () => readEventRefund(client, eventId)
      if (status) return readOnce(read)
      const input = { eventId, reason: reason as string, ...(perSecond !== null && { perSecond }) }
      await startEventRefund(client, input)
      return follow(read)
    })
  },
}

type Read = () => Promise<EventRefund | null>

async function readOnce(read: Read) {
  const found = await read()
  if (!found) throw new CommandError('the event is not called off')
  return { text: `${describe(found)}\n`, code: codeOf(found) }
}

/** Shows each change, until all the money is returned or the provider refuses the rest. */
async function follow(read: Read) {
  let shown = ''
  for (;;) {
    const now = await read()
    if (!now) throw new CommandError('the event is not called off')
    const text = describe(now)
    const isOver = now.finishedAt !== null && (now.owed.amount === 0 || now.refused > 0)
    if (isOver) return { text: `${text}\n`, code: codeOf(now) }
    if (text !== shown) process.stdout.write(`${text}\n`)
    shown = text
    await sleep(POLL_MS)
  }
}

function codeOf({ refused }: EventRefund): number {
  return refused > 0 ? 2 : 0
}

function describe({ refunded, left, owed, returned, refused, finishedAt }: EventRefund): string {
  const state = finishedAt === null ? `${left} orders left` : 'no order left'
  const money = `${formatMoney(returned)} returned, ${formatMoney(owed)} owed`
  return `${refunded} orders refunded, ${state}; ${money}${refused > 0 ? `; ${refused} refunds refused` : ''}`
}

function rateOf(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,3}$/.test(text)) throw new CommandError('--per-second must be a whole number from 1 to 100')
  return Number(text)
}

function parse(args: string[]) {
  return parseFlags(args, {
    reason: { type: 'string' },
    'per-second': { type: 'string' },
    status: { type: 'boolean' },
    server: { type: 'string' },
  })
}
