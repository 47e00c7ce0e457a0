import { expect, test } from 'vitest'
import { fairgate } from '../../support/cli.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'

/* Ops see who holds seats, and release them: over the API, and with the command `fairgate holders`. */

const server = await testServer()
const { ask, token, db, url } = server
const ops = await token('otto', { roles: ['ops'] })

const HOLD = `mutation ($input: HoldInput!) {
  hold(input: $input) { __typename ... on Hold { id } ... on TooManyHolds { scope message retryAfterSeconds } }
}`

async function hold(
  event: { id: string; seatId(no: number): string },
  account: string,
  seat: number,
  address: string,
) {
  const input = {
    eventId: event.id,
    selection: { seats: [seat, seat + 1].map(event.seatId) },
    idempotencyKey: `${seat}`,
  }
  const { data } = await ask(
    HOLD,
    { input },
    { token: await token(account), device: `device of ${account}`, headers: { 'x-forwarded-for': address } },
  )
  return data.hold as Json
}

const HOLDERS = `query ($eventId: ID!, $first: Int, $after: String) {
  holders(eventId: $eventId, first: $first, after: $after) {
    edges {
      node { accountId seats holds holdsPaying address addressSeats device deviceSeats holdsMade holdsUnpaid tickets }
    }
    pageInfo { hasNextPage endCursor }
  }
}`

async function holdersOf(eventId: string, first = 2): Promise<Json[]> {
  const found: Json[] = []
  for (let after: string | null = null; ; ) {
    const { data }: Json = await ask(HOLDERS, { eventId, first, after }, { token: ops })
    found.push(...data.holders.edges.map(({ node }: Json) => node))
    if (!data.holders.pageInfo.hasNextPage) return found
    after = data.holders.pageInfo.endCursor
  }
}

const HOARDER = '203.0.113.7'

/** Three accounts at one address, and two fans at addresses of their own. */
async function crowd() {
  const event = await insertEvent(db, { sections: [{ seats: 40 }], ticketLimit: 4 })
  await hold(event, 'fan-1', 1, '198.51.100.1')
  for (const i of [1, 2, 3]) await hold(event, `hoarder-${i}`, 10 * i - 1, HOARDER)
  await hold(event, 'fan-2', 5, '198.51.100.2')
  return event
}

test('the list has every account with a live hold, those of the address with the most seats first', async () => {
  const event = await crowd()
  const found = await holdersOf(event.id)
  expect(found.map(({ accountId }) => accountId)).toEqual([
    'hoarder-1',
    'hoarder-2',
    'hoarder-3',
    'fan-1',
    'fan-2',
  ])
  const [hoarder, , , fan] = found
  expect(hoarder).toEqual({
    accountId: 'hoarder-1',
    seats: 2,
    holds: 1,
    holdsPaying: 0,
    address: expect.stringMatching(/^[0-9a-f]{16}$/),
    addressSeats: 6,
    device: expect.stringMatching(/^[0-9a-f]{16}$/),
    deviceSeats: 2,
    holdsMade: 1,
    holdsUnpaid: 0,
    tickets: 0,
  })
  expect(fan).toMatchObject({ addressSeats: 2 })
  expect(new Set(found.map(({ address }) => address)).size).toBe(3)
})

test('ops release an address: its holds end, other fans keep theirs, and the audit trail has accounts and reason', async () => {
  const event = await crowd()
  const [{ address }] = await holdersOf(event.id)
  // One of its holds is being paid for.
  await db.sql(
    `insert into orders (event_id, id, hold_id, account_id, idempotency_key, input_hash, amount, currency, state, payment, provider)
     select event_id, 'ord_paying', id, account_id, 'k', 'h', amount, currency, 'PAYING', 'NONE', 'sandbox'
     from holds where event_id = $1 and account_id = 'hoarder-2'`,
    [event.id],
  )
  const input = { eventId: event.id, holder: { address }, reason: 'never pays' }
  const RELEASE =
    'mutation ($input: ReleaseHoldsInput!) { releaseHolds(input: $input) { released seats inCheckout } }'
  const { data } = await ask(RELEASE, { input }, { token: ops })
  expect(data.releaseHolds).toEqual({ released: 2, seats: 4, inCheckout: 1 })
  expect((await ask(RELEASE, { input }, { token: ops })).data.releaseHolds).toEqual({
    released: 0,
    seats: 0,
    inCheckout: 1,
  })
  expect((await holdersOf(event.id)).map(({ accountId }) => accountId)).toEqual([
    'fan-1',
    'fan-2',
    'hoarder-2',
  ])
  expect(
    await db.sql(
      'select action, account_id, detail from audit_entries where event_id = $1 order by id limit 1',
      [event.id],
    ),
  ).toEqual([
    {
      action: 'releaseHolds',
      account_id: 'otto',
      detail: {
        by: 'address',
        reason: 'never pays',
        holds: 3,
        accounts: ['hoarder-1', 'hoarder-2', 'hoarder-3'],
      },
    },
  ])
  // The seats are free again.
  expect(await hold(event, 'fan-3', 9, '198.51.100.3')).toMatchObject({ __typename: 'Hold' })
})

test('a refused fan learns which limit refused the hold, and when to try again', async () => {
  const event = await insertEvent(db, { heldPerAddress: 4, ticketLimit: 2 })
  await hold(event, 'a', 1, HOARDER)
  await hold(event, 'b', 3, HOARDER)
  expect(await hold(event, 'c', 5, HOARDER)).toEqual({
    __typename: 'TooManyHolds',
    scope: 'ADDRESS',
    message: expect.stringMatching(/internet address/),
    retryAfterSeconds: expect.any(Number),
  })
  expect(await hold(event, 'c', 5, '198.51.100.3')).toMatchObject({ __typename: 'Hold' })
})

test('the command lists the holders and releases one of them', async () => {
  const event = await crowd()
  const listed = await fairgate('holders', event.slug, '--server', url)
  expect(listed).toMatchObject({ code: 0, err: '' })
  const lines = listed.out.split('\n')
  expect(lines[0]).toMatch(
    /^account +seats +holds +paying +made +unpaid +tickets +until +address +seats there/,
  )
  expect(lines[1]).toMatch(/^hoarder-1 +2 +1 +0 +1 +0 +0 +[\d:]+ +[0-9a-f]{16} +6 +[0-9a-f]{16} +2$/)
  expect(
    await fairgate(
      'holders',
      event.id,
      '--server',
      url,
      '--release',
      'account:hoarder-1',
      '--reason',
      'test',
    ),
  ).toEqual({ code: 0, out: 'Released 1 holds with 2 seats.\n', err: '' })
  const json = await fairgate('holders', event.id, '--server', url, '--json', '--most', '1')
  expect(JSON.parse(json.out)).toMatchObject([{ accountId: 'hoarder-2', addressSeats: 4 }])
})

test.each<[string, string[], RegExp]>([
  ['no event', [], /Give one event/],
  ['an event that does not exist', ['nowhere', '--server', url], /no event with the slug nowhere/],
  ['no service', ['x', '--server', 'http://127.0.0.1:9'], /No service answers at http:\/\/127\.0\.0\.1:9/],
  ['a number that is none', ['x', '--most', 'all'], /--most must be a whole number/],
  ['a release without a kind', ['x', '--release', 'ana', '--reason', 'r'], /--release must be account:/],
  ['a release without a reason', ['x', '--release', 'account:ana'], /--reason is missing/],
])('the command explains %s', async (_, args, message) => {
  expect(await fairgate('holders', ...args)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
})

test('the metrics report the seats of the largest address, and of accounts that never pay', async () => {
  const event = await crowd()
  await db.sql(
    `insert into holds (event_id, id, account_id, idempotency_key, input_hash, amount, currency, expires_at, ended_at, outcome, quantity)
     select $1, 'hld_past_' || n, 'hoarder-1', 'past ' || n, 'h', 1, 'EUR', now(), now(), 'EXPIRED', 1
     from generate_series(1, 2) n`,
    [event.id],
  )
  const gauges = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return ['held_by_one_origin', 'held_by_non_payers'].map((name) => {
      const line = new RegExp(`^fairgate_sale_${name}\\{event="${event.id}"\\} (\\d+)$`, 'm').exec(text)
      return line && Number(line[1])
    })
  }
  await expect.poll(gauges, { timeout: 20_000 }).toEqual([6, 2])
})
