import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testAccount } from '../../support/checkout.ts'
import { fairgate } from '../../support/cli.ts'
import { insertEvent } from '../../support/event.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { testServer } from '../../support/server.ts'

const { app, db, url } = await testServer()
const event = await insertEvent(db, { sections: [{ seats: 4 }, { places: 3 }], price: 0n, fee: 0n })
const fan = testAccount()
const hold = await app.holds.hold(
  { account: fan, deviceId: null, admissionToken: null },
  { eventId: event.id, seats: [1, 2].map(event.seatId), idempotencyKey: 'hold' },
)
if (!('expiresAt' in hold)) throw new Error('no hold')
const order = await app.checkout.checkout(fan, {
  holdId: hold.id,
  paymentMethod: 'pm',
  idempotencyKey: 'pay',
})
if (!('tickets' in order)) throw new Error('no order')
const [good, gone] = (await Promise.all(
  order.tickets.map((ticket) => app.tickets.barcode(ticket, order)),
)) as [string, string]
const [goodTicket, goneTicket] = order.tickets

const folder = temporaryFolder('scanner')
/** Fetches an address to a file, as a scanner does before the doors open. */
async function download(path: string, name: string): Promise<string> {
  const file = join(folder, name)
  writeFileSync(file, await (await fetch(url + path)).text())
  return file
}
const keys = await download('/.well-known/jwks.json', 'keys.json')
const emptyList = await download(`/events/${event.id}/ticket-status`, 'empty.jwt')

await db.sql('update tickets set voided_at = now() where event_id = $1 and id = $2', [
  event.id,
  goneTicket?.id,
])
const list = join(folder, 'list.jwt')
writeFileSync(list, (await app.ticketStatus.list(event.id)) as string)

const offline = (code: string, ...flags: string[]) =>
  fairgate('verify-ticket', code, '--keys', keys, '--status', list, ...flags)

test('the command fetches keys and list, and finds the ticket good', async () => {
  expect(await fairgate('verify-ticket', good, '--server', url, '--event', event.id)).toMatchObject({
    code: 0,
    out: expect.stringMatching(`^Good: ticket ${goodTicket?.id} for ${event.seatId(1)}, by the list of 2`),
  })
})

test('with files the command calls no server, and finds a void ticket', async () => {
  expect((await offline(good)).code).toBe(0)
  expect(await offline(gone)).toMatchObject({
    code: 3,
    out: expect.stringMatching(`^VOID: ticket ${goneTicket?.id}`),
  })
  // A list from before cannot know.
  const before = await fairgate('verify-ticket', gone, '--keys', keys, '--status', emptyList)
  expect(before.code).toBe(0)
})

test('a forged code, another event and a text that is no code have exit codes of their own', async () => {
  expect((await offline(good.replace(/.$/, (last) => (last === '1' ? '2' : '1')))).code).toBe(2)
  expect((await offline('https://example.com')).out).toMatch(/not the code of a ticket/)
  const other = await offline(good, '--event', 'evt_other')
  expect([other.code, other.out]).toEqual([4, expect.stringMatching(/^WRONG EVENT: .* is of evt_/)])
})

test.each<[string, string[], RegExp]>([
  ['no code', [], /give the code of a ticket/],
  ['a code without quotes', ['FG1:AB', 'CD'], /in single quotes/],
  ['keys that are no keys', [good, '--keys', list, '--status', list], /not a JSON Web Key Set/],
  ['a list that is no list', [good, '--keys', keys, '--status', keys], /cannot be trusted/],
  ['a file that is not there', [good, '--keys', 'nowhere.json'], /nowhere.json cannot be read/],
  ['a server that is no address', [good, '--server', 'tickets'], /is not an address such as/],
])('%s is refused with one sentence', async (_name, args, message) => {
  expect(await fairgate('verify-ticket', ...args)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(message),
  })
})
