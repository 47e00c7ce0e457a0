import { afterEach, describe, expect, test } from 'vitest'
import { readRanges } from '../../../src/addresses.ts'
import { makeKeys } from '../../../src/keys.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { createHoldOrigins } from '../../../src/sale/holds/origins.ts'
import { TooManyHolds } from '../../../src/sale/refusals.ts'
import { createDatabase } from '../../../src/sql/database/database.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { losingReply } from '../../support/losingReply.ts'
import { seededRandom } from '../../support/random.ts'

/* The limits on the seats that live holds from one device or one internet address have together. */

const database = await testDatabase({ connections: 20 })
const other = createDatabase(database.url, { connections: 20 })
const processes = [testCheckout(database), testCheckout(other)] as const
const [sale] = processes

const events: TestEvent[] = []
async function newEvent(options: TestEventOptions = {}): Promise<TestEvent> {
  const event = await insertEvent(database, { sections: [{ places: 1_000 }], ticketLimit: 4, ...options })
  events.push(event)
  return event
}

afterEach(async () => {
  await workOutbox(database, sale)
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

interface Origin {
  address?: string | null
  deviceId?: string
}

let calls = 0
const accountOf = new Map<string, ReturnType<typeof testAccount>>()

/** Requests units of general admission for a new account, in the processes by turns. */
async function take(
  event: TestEvent,
  quantity: number,
  { address = null, deviceId = `device-${calls}` }: Origin,
  { account = testAccount(), idempotencyKey = `key-${calls}`, process = processes[calls % 2] ?? sale } = {},
) {
  calls++
  const result = await process.holds.hold(
    { account, deviceId, admissionToken: null, address },
    { eventId: event.id, idempotencyKey, generalAdmission: { sectionId: event.sectionId(1), quantity } },
  )
  if (isHold(result)) accountOf.set(result.id, account)
  return result
}

const release = (hold: HoldView) => sale.holds.release(accountOf.get(hold.id) as never, hold.id)

/** The seats of the live holds of each origin, the most first. */
async function held(event: TestEvent, kind: 'address' | 'device'): Promise<number[]> {
  const rows = await database.sql<{ seats: number }>(
    `select count(*)::int as seats from holds h join hold_items i on i.event_id = h.event_id and i.hold_id = h.id
     where h.event_id = $1 and h.outcome is null and h.expires_at > now() and h.${kind} is not null
     group by h.${kind} order by 1 desc`,
    [event.id],
  )
  return rows.map(({ seats }) => seats)
}

describe.each([
  ['address', 'ADDRESS', { heldPerAddress: 100 }, { address: '203.0.113.7' }],
  ['device', 'DEVICE', { heldPerDevice: 100 }, { deviceId: 'the tablet' }],
] as const)('the limit of one %s', (kind, scope, limits, origin) => {
  test('is met by a hundred accounts at the same moment, and not exceeded', async () => {
    const event = await newEvent(limits)
    const results = await Promise.all(Array.from({ length: 100 }, () => take(event, 4, origin)))
    for (const result of results)
      if (!isHold(result)) expect(result).toMatchObject({ constructor: TooManyHolds, scope })
    const [most] = await held(event, kind)
    expect(most).toBeLessThanOrEqual(100)
    // The calls that were too many at that moment find the rest.
    while (isHold(await take(event, 4, origin)));
    expect(await held(event, kind)).toEqual([100])
  })

  test('leaves room again once a hold is released, and says when a hold runs out', async () => {
    const event = await newEvent({ heldPerAddress: 8, heldPerDevice: 8, holdSeconds: 300 })
    const first = await take(event, 4, origin)
    await take(event, 4, origin)
    const refused = await take(event, 1, origin)
    expect(refused).toMatchObject({ constructor: TooManyHolds, scope })
    const { retryAfterSeconds } = refused as TooManyHolds
    expect(retryAfterSeconds).toBeGreaterThan(200)
    expect(retryAfterSeconds).toBeLessThanOrEqual(330)
    await release(first as HoldView)
    expect(await take(event, 4, origin)).toMatchObject({ state: 'ACTIVE' })
  })

  test('does not count a hold that ran out or was paid', async () => {
    const event = await newEvent({ heldPerAddress: 8, heldPerDevice: 8 })
    const [paid, late] = [await take(event, 4, origin), await take(event, 4, origin)] as HoldView[]
    await sale.pay(accountOf.get(paid?.id as string) as never, paid as HoldView)
    await runOut(database, late as HoldView)
    expect(await take(event, 4, origin)).toMatchObject({ state: 'ACTIVE' })
    expect(await take(event, 4, origin)).toMatchObject({ state: 'ACTIVE' })
    expect(await take(event, 1, origin)).toBeInstanceOf(TooManyHolds)
  })

  test('never refuses a fan who is alone there', async () => {
    const event = await newEvent({ heldPerAddress: 1, heldPerDevice: 1 })
    expect(await take(event, 4, origin)).toMatchObject({ state: 'ACTIVE' })
    expect(await take(event, 1, origin)).toMatchObject({ constructor: TooManyHolds, scope })
  })

  test('returns its own hold to a retry, though the limit is reached since', async () => {
    const event = await newEvent({ heldPerAddress: 4, heldPerDevice: 4 })
    const account = testAccount()
    const unlucky = testCheckout(losingReply(database, 'hold_general_admission'))
    const call = { account, idempotencyKey: 'the key' }
    await expect(take(event, 4, origin, { ...call, process: unlucky })).rejects.toThrow()
    expect(await held(event, kind)).toEqual([4])
    expect(await take(event, 4, origin, call)).toMatchObject({ state: 'ACTIVE' })
    expect(await held(event, kind)).toEqual([4])
  })
})

test('a crowd of honest fans at one address gets its seats at the same moment, each at the first call', async () => {
  const event = await newEvent({ heldPerAddress: 1_000 })
  const results = await Promise.all(
    Array.from({ length: 150 }, () => take(event, 2, { address: '203.0.113.7' })),
  )
  expect(results.filter((result) => !isHold(result))).toEqual([])
})

test('holds, releases and limits of a few addresses at the same time never exceed the limit', async () => {
  const random = seededRandom()
  const event = await newEvent({ heldPerAddress: 40, heldPerDevice: 12 })
  const pick = (n: number) => Math.floor(random() * n)
  const mine: HoldView[] = []
  let most = { address: 0, device: 0 }
  await sideBySide(400, 24, async (i) => {
    if (i % 40 === 0) {
      const [[address = 0], [device = 0]] = await Promise.all([held(event, 'address'), held(event, 'device')])
      most = { address: Math.max(most.address, address), device: Math.max(most.device, device) }
    }
    const released = random() < 0.3 ? mine.splice(pick(mine.length), 1)[0] : undefined
    if (released) return release(released)
    const origin = { address: `203.0.113.${pick(3)}`, deviceId: `tablet-${pick(12)}` }
    const result = await take(event, 1 + pick(4), origin)
    if (isHold(result)) mine.push(result)
    return result
  })
  expect(most.address).toBeLessThanOrEqual(40)
  expect(most.device).toBeLessThanOrEqual(12)
  expect((await held(event, 'address'))[0]).toBeLessThanOrEqual(40)
})

describe('an address', () => {
  const secret = async () =>
    ({ tokens: [{ kid: 'a', secret: Buffer.from((await makeKeys()).tokens[0]?.k ?? '') }] }) as const
  const digest = (
    origins: ReturnType<typeof createHoldOrigins>,
    address: string | null,
    eventId = 'evt_1',
  ) => {
    const found = origins.of(eventId, { deviceId: null, address }).address
    return found && Buffer.from(found).toString('hex')
  }

  test('is one for a whole IPv6 network of 64 bits, and differs by event and by secret', async () => {
    const origins = createHoldOrigins({ keys: await secret(), trustedProxies: [] })
    expect(digest(origins, '2001:db8:1:2::1')).toBe(digest(origins, '2001:db8:1:2:ffff:1:2:3'))
    expect(digest(origins, '2001:db8:1:2::1')).not.toBe(digest(origins, '2001:db8:1:3::1'))
    expect(digest(origins, '203.0.113.7')).not.toBe(digest(origins, '203.0.113.8'))
    expect(digest(origins, '203.0.113.7')).not.toBe(digest(origins, '203.0.113.7', 'evt_2'))
    const others = createHoldOrigins({ keys: await secret(), trustedProxies: [] })
    expect(digest(origins, '203.0.113.7')).not.toBe(digest(others, '203.0.113.7'))
  })

  test('does not count where it is our own proxy or a private network', async () => {
    const trustedProxies = readRanges('198.51.100.0/24') ?? []
    const origins = createHoldOrigins({ keys: await secret(), trustedProxies })
    for (const address of [
      '198.51.100.9',
      '127.0.0.1',
      '10.0.0.5',
      '100.64.1.1',
      'fe80::1',
      'fd00::1',
      '::1',
    ])
      expect(digest(origins, address)).toBeNull()
    expect(digest(origins, null)).toBeNull()
    expect(digest(origins, '203.0.113.7')).toMatch(/^[0-9a-f]{16}$/)
  })

  test('is stored as a digest only, and erased with the device when the hold is sold, released or expired', async () => {
    const event = await newEvent()
    const origin = { address: '203.0.113.7', deviceId: 'the tablet' }
    const holds = []
    for (let i = 0; i < 4; i++) holds.push((await take(event, 1, origin)) as HoldView)
    const [sold, released, expired] = holds as [HoldView, HoldView, HoldView]
    const stored = () =>
      database.sql<{ text: string; known: boolean }>(
        'select h::text as text, address is not null and device is not null as known from holds h where event_id = $1 order by id',
        [event.id],
      )
    expect((await stored()).map(({ known }) => known)).toEqual([true, true, true, true])
    await sale.pay(accountOf.get(sold.id) as never, sold)
    await release(released)
    await runOut(database, expired)
    await sale.holds.sweep(event.id)
    const rows = await stored()
    expect(rows.map(({ known }) => known)).toEqual([false, false, false, true])
    for (const { text } of rows) expect(text).not.toMatch(/203\.0\.113\.7|the tablet/)
  })
})
