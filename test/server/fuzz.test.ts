import type { createClient } from 'graphql-ws'
import { expect, test } from 'vitest'
import { schema } from '../../src/resolvers/schema.ts'
import { insertEvent } from '../support/event.ts'
import { hostileCase, source } from '../support/hostileInput.ts'
import { LONG } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'
import { type Json, testServer } from '../support/server.ts'

type Socket = ReturnType<typeof createClient>

/** A case that has no answer after so long hangs. It is far above the time that a case takes on a busy machine. */
const HANG_MS = 30_000
const CASES = LONG ? 100_000 : 1_000
/** In characters, some of three bytes. A longer message closes its socket with 1009, also for the cases beside it. */
const LONGEST_MESSAGE = 80_000
const AT_ONCE = 8

const server = await testServer()
const random = seededRandom()
const event = await insertEvent(server.app.db, {
  waitingRoom: true,
  sections: [{ seats: 40 }, { places: 40 }],
  rate: 100,
})
const open = await insertEvent(server.app.db, {
  sections: [{ seats: 40 }, { places: 40 }],
  ticketLimit: 1_000,
  holdsPerMinute: 10_000,
})

const fan = await server.token('fan-of-fuzz')
const device = 'device-of-fuzz'
const callers = [
  {},
  { token: fan, device },
  { token: await server.token('olga', { roles: ['organizer'] }) },
  { token: await server.token('otto', { roles: ['ops', 'organizer'] }) },
] as const

const hold = await server.ask(
  'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }',
  { input: { eventId: open.id, idempotencyKey: 'k', selection: { seats: [open.seatId(1)] } } },
  { token: fan },
)
const joined = await server.ask(
  'mutation ($input: JoinQueueInput!) { joinQueue(input: $input) { ... on QueuePosition { queueToken } } }',
  { input: { eventId: event.id } },
  { token: fan, device },
)
const known = [
  ...[
    event.id,
    open.id,
    open.slug,
    hold.data.hold.id,
    joined.data.joinQueue.queueToken,
    open.seatId(1),
    open.seatId(2),
  ],
  ...[
    open.sectionId(1),
    open.sectionId(2),
    open.seatId(1).replace('seat_', 'lvl_'),
    'A',
    'pm_card_visa',
    'drand',
  ],
]

const roots = [
  ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ['query', field] as const),
  ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ['mutation', field] as const),
  ...Object.values(schema.getSubscriptionType()?.getFields() ?? {}).map(
    (field) => ['subscription', field] as const,
  ),
]

/** Of each caller. One socket for all cases would exceed its allowance of messages. */
const SOCKETS = 10
const sockets = callers.map((caller) =>
  Array.from({ length: SOCKETS }, () =>
    server.socket({
      ...('token' in caller && { authorization: `Bearer ${caller.token}` }),
      ...('device' in caller && { deviceId: caller.device }),
    }),
  ),
)

async function overHttp(
  query: string,
  variables: object,
  caller: (typeof callers)[number],
): Promise<string[]> {
  const { status, errors } = await server.ask(query, variables, caller)
  return [...(status === 500 ? [`status ${status}`] : []), ...codesOf(errors)]
}

/** Resolves with the codes of the first message, and leaves. */
function overSocket(query: string, variables: Record<string, unknown>, socket: Socket) {
  return new Promise<string[]>((resolve) => {
    let leave = () => {}
    // A subscription may have nothing to send yet.
    const quiet = setTimeout(() => end([]), query.startsWith('subscription') ? 1_000 : HANG_MS * 2)
    const end = (codes: string[]) => {
      clearTimeout(quiet)
      resolve(codes)
      leave()
    }
    leave = socket.subscribe(
      { query, variables },
      {
        next: ({ errors }) => end(codesOf(errors as Json)),
        error: (errors) =>
          end(Array.isArray(errors) ? codesOf(errors as Json) : [`closed ${(errors as Json)?.code}`]),
        complete: () => end([]),
      },
    )
  })
}

function codesOf(errors: Json[] | undefined): string[] {
  return (errors ?? []).map(({ extensions }) => extensions?.code ?? 'no code')
}

const FINE = [
  ...[
    'BAD_USER_INPUT',
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'ADMISSION_REQUIRED',
    'QUEUE_TOKEN_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  ...['REQUEST_IN_PROGRESS', 'RATE_LIMITED', 'OVERLOADED'],
]

test(
  `${CASES} hostile operations are each answered, and none with a fault of ours`,
  async () => {
    const from = source(random, known)
    const faults: object[] = []
    const seen = new Map<string, number>()
    let begun = 0

    async function worker() {
      while (begun < CASES && faults.length < 20) {
        const n = begun++
        const [operation, field] = roots[from.upTo(roots.length)] as (typeof roots)[number]
        const { query, variables } = hostileCase(from, operation, field)
        const by = from.upTo(callers.length)
        const isShort = JSON.stringify({ query, variables }).length < LONGEST_MESSAGE
        const isSocket = isShort && (operation === 'subscription' || from.upTo(4) === 0)
        const answer = isSocket
          ? overSocket(query, variables, sockets[by]?.[n % SOCKETS] as Socket)
          : overHttp(query, variables, callers[by] as (typeof callers)[number])
        let timer: NodeJS.Timeout | undefined
        const hang = new Promise<string[]>((resolve) => {
          timer = setTimeout(() => resolve(['hang']), HANG_MS)
        })
        const codes = await Promise.race([answer, hang])
        clearTimeout(timer)
        for (const code of codes.length > 0 ? codes : ['ok']) seen.set(code, (seen.get(code) ?? 0) + 1)
        if (codes.some((code) => !FINE.includes(code)))
          faults.push({ n, codes, query, variables: JSON.stringify(variables).slice(0, 1_500), by, isSocket })
      }
    }

    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    expect(faults).toEqual([])
    // The cases reach the code behind the first check.
    expect(seen.get('ok')).toBeGreaterThan(CASES / 20)
    expect(seen.get('BAD_USER_INPUT')).toBeGreaterThan(CASES / 20)
  },
  LONG ? 3_600_000 : 300_000,
)
