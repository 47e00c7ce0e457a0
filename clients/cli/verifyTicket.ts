import { readFile } from 'node:fs/promises'
import type { JSONWebKeySet } from 'jose'
import { type Command, CommandError, parseFlags } from './command.ts'
import { readStatusList } from './statusList.ts'
import { isSigned, readCode, type TicketCode } from './ticketCode.ts'

const HELP = `fairgate verify-ticket <code> [--event ID] [--server URL]
fairgate verify-ticket <code> --keys FILE --status FILE [--event ID]

Checks the code of a ticket as a scanner at the door does: its signature against the public keys, then its bit in the event's
list of void tickets. docs/scanners.md explains the code and the list.

The first form fetches the keys and the list from Fairgate. The second form calls no server: a door without a network works
with the keys and the list that it fetched before. Instead of a file, each of the two flags takes an address.

  <code>            the text of the QR code, in single quotes; - reads it from the standard input
  --event ID        the event at this door; a ticket of another event is refused
  --server URL      the address of Fairgate. Default http://localhost:4000
  --keys FILE|URL   the public keys. Default /.well-known/jwks.json of the server
  --status FILE|URL the list of void tickets. Default /events/<id>/ticket-status of the server
  --help            this text

Exit codes: 0 good; 1 not possible to check; 2 not a ticket, or forged; 3 void; 4 of another event; 5 newer than the list: fetch
the list again.

A good ticket may have been scanned before: a door also remembers the tickets that it has let in.
`

const CODES = { good: 0, forged: 2, void: 3, otherEvent: 4, unknown: 5 } as const
type Verdict = keyof typeof CODES

const TIMEOUT_MS = 10_000

export const verifyTicket: Command = {
  name: 'verify-ticket',
  summary: 'checks the code of a ticket, as a scanner at the door does',
  help: HELP,
  async run(args) {
    const { values, positionals } = parse(args)
    const [given, ...more] = positionals
    if (given === undefined)
      throw new CommandError('give the code of a ticket, or - to read it from the standard input')
    if (more.length > 0) throw new CommandError('give one code, in single quotes: it may have spaces')
    const code = given === '-' ? await readStandardInput() : given
    const { verdict, text } = await verify(code, values)
    return { text: `${text}\n`, code: CODES[verdict] }
  },
}

type Values = ReturnType<typeof parse>['values']

async function verify(
  text: string,
  { event, server, keys: keysAt, status: statusAt }: Values,
): Promise<{ verdict: Verdict; text: string }> {
  const code = readCode(text)
  if (!code) return { verdict: 'forged', text: 'WRONG: this is not the code of a ticket.' }
  const at = (path: string) => new URL(path, addressOf(server ?? 'http://localhost:4000')).href
  const keys = parseKeys(await read(keysAt ?? at('/.well-known/jwks.json')))
  if (!(await isSigned(code, keys)))
    return { verdict: 'forged', text: 'FORGED: none of the keys has signed this code.' }
  if (event !== undefined && event !== code.eventId)
    return { verdict: 'otherEvent', text: `WRONG EVENT: ${describe(code)} is of ${code.eventId}.` }

  const path = `/events/${code.eventId}/ticket-status`
  const list = await readStatusList(await read(statusAt ?? at(path)), keys, code.eventId)
  const since = `by the list of ${list.issuedAt.toISOString()}`
  switch (list.statusOf(code.no)) {
    case 'void':
      return { verdict: 'void', text: `VOID: ${describe(code)}, ${since}.` }
    case 'unknown':
      return {
        verdict: 'unknown',
        text: `NEWER than the list: ${describe(code)}, ${since}. Fetch the list again.`,
      }
    case 'good':
      return { verdict: 'good', text: `Good: ${describe(code)}, ${since}.` }
  }
}

function describe({ ticketId, sectionId, seatId }: TicketCode): string {
  return `ticket ${ticketId} for ${seatId ?? `general admission in ${sectionId}`}`
}

function parse(args: string[]) {
  return parseFlags(args, {
    event: { type: 'string' },
    server: { type: 'string' },
    keys: { type: 'string' },
    status: { type: 'string' },
  })
}

function addressOf(server: string): URL {
  const url = URL.parse(server)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${server} is not an address such as https://tickets.example`)
  return url
}

function parseKeys(text: string): JSONWebKeySet {
  try {
    const set = JSON.parse(text) as JSONWebKeySet
    if (Array.isArray(set.keys)) return set
  } catch {
    // Reported below.
  }
  throw new CommandError('the public keys are not a JSON Web Key Set')
}

async function read(fileOrAddress: string): Promise<string> {
  try {
    if (!/^https?:\/\//.test(fileOrAddress)) return await readFile(fileOrAddress, 'utf8')
    const response = await fetch(fileOrAddress, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) throw new Error(`it returns status ${response.status}`)
    return await response.text()
  } catch (error) {
    throw new CommandError(`${fileOrAddress} cannot be read: ${(error as Error).message}`)
  }
}

async function readStandardInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  // A scanner that types ends its line.
  return text.replace(/\r?\n$/, '')
}
