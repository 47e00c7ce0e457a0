import { readFileSync } from 'node:fs'
import { correction, generate } from 'lean-qr'
import { expect, test } from 'vitest'
import { isSigned, readCode } from '../../../clients/cli/ticketCode.ts'
import { importKeys, type Keys, makeKeys, publicKeys } from '../../../src/keys.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { createTickets } from '../../../src/sale/orders/tickets.ts'
import { testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const keys = await importKeys(await makeKeys())
const catalogue = createCatalogue(database)
const tickets = createTickets({ keys, catalogue })
const event = await insertEvent(database, { sections: [{ seats: 40 }, { places: 10, key: 'floor' }] })
const FREE = { amount: 0n, currency: 'EUR' }
const PAID = { state: 'CONFIRMED', payment: 'CAPTURED', amount: { amount: 1n, currency: 'EUR' } } as const
const seat = (seatNo: number) => ({ id: 'tkt', no: seatNo - 1, eventId: event.id, seatNo, voided: false })
const codeOf = async (seatNo: number, by = tickets) => (await by.barcode(seat(seatNo), PAID)) as string

/** Reads a code as the door does. Null for a code that these keys did not sign. */
async function scan(code: string, by: Keys = keys) {
  const read = readCode(code)
  if (!read || !(await isSigned(read, publicKeys(by.barcodes)))) return null
  const { eventId, ticketId, no, sectionId, seatId } = read
  return { eventId, ticketId, no, sectionId, seatId }
}

test('a code names event, ticket, section and seat, and nothing about its owner', async () => {
  const [, name] = event.id.split('_')
  expect(await scan(await codeOf(21))).toEqual({
    eventId: event.id,
    ticketId: `tkt_${name}_20`,
    no: 20,
    sectionId: event.sectionId(1),
    seatId: event.seatId(21),
  })
})

test('the code of general admission names its area only', async () => {
  expect(await scan(await codeOf(41))).toMatchObject({ no: 40, sectionId: event.sectionId(2), seatId: null })
})

test('a code is a small QR code for a bad camera: at most 140 characters, version 7 at most', async () => {
  const big = { ...seat(40), no: 4_294_967_295 }
  const code = (await tickets.barcode(big, PAID)) as string
  // The alphanumeric mode of QR codes.
  expect(code).toMatch(/^[0-9A-Z $%*+\-./:]{1,140}$/)
  // A scanner may cut off spaces at the ends.
  expect(code.trim()).toBe(code)
  expect((generate(code, { minCorrectionLevel: correction.M }).size - 17) / 4).toBeLessThanOrEqual(7)
})

test('a ticket’s code is always the same, and a code with any character changed is refused', async () => {
  const code = await codeOf(1)
  expect(await codeOf(1)).toBe(code)
  for (let at = 0; at < code.length; at++) {
    const changed = code.slice(0, at) + (code[at] === '7' ? '8' : '7') + code.slice(at + 1)
    expect([at, await scan(changed)]).toEqual([at, null])
  }
  for (const changed of [code.slice(0, -3), `${code}000`, code.slice(4), code.toLowerCase(), ''])
    expect(await scan(changed)).toBeNull()
})

test('after a key rotation the old codes stay valid, and the new key signs', async () => {
  const [old, next] = [await makeKeys(), await makeKeys()]
  const [before, after] = [
    await importKeys(old),
    await importKeys({ ...next, barcodes: [...next.barcodes, ...old.barcodes] }),
  ]
  const sold = await codeOf(1, createTickets({ keys: before, catalogue }))
  const soldLater = await codeOf(1, createTickets({ keys: after, catalogue }))
  expect(soldLater).not.toBe(sold)
  for (const code of [sold, soldLater]) expect(await scan(code, after)).toMatchObject({ no: 0 })
  expect(await scan(soldLater, before)).toBeNull()
})

test('the code of the example for scanner makers is right', async () => {
  const page = readFileSync('docs/scanners.md', 'utf8')
  const block = (name: string) => new RegExp(`\`\`\`${name}\n(.*?)\n\`\`\``, 's').exec(page)?.[1] as string
  const read = readCode(block('text'))
  expect(read).toMatchObject({
    eventId: 'evt_k3v9x2m4q8wz',
    ticketId: 'tkt_k3v9x2m4q8wz_50016',
    sectionId: 'sec_k3v9x2m4q8wz_2',
    seatId: 'seat_k3v9x2m4q8wz_17',
  })
  expect(read && (await isSigned(read, JSON.parse(block('json'))))).toBe(true)
})

test.each<[string, Partial<OrderView>, boolean]>([
  ['authorized, and not captured yet', { payment: 'AUTHORIZED' }, false],
  ['captured', { payment: 'CAPTURED' }, true],
  ['partly refunded', { payment: 'PARTIALLY_REFUNDED' }, true],
  ['free', { payment: 'NONE', amount: FREE }, true],
  ['not free, and without a payment', { payment: 'NONE' }, false],
  ['cancelled', { state: 'CANCELLED', payment: 'CAPTURED' }, false],
  ['still paying', { state: 'PAYING', payment: 'NONE' }, false],
])('a ticket of an order that is %s has a code only if it is paid', async (_name, order, has) => {
  expect((await tickets.barcode(seat(1), { ...PAID, ...order })) !== null).toBe(has)
  expect(await tickets.barcode({ ...seat(1), voided: true }, { ...PAID, ...order })).toBeNull()
})

test('a capture refused and the seat sold again: only the second fan ever has a code for the seat', async () => {
  const checkout = testCheckout(database)
  const [ana, ben] = [testAccount(), testAccount()]
  const codes = async (account: typeof ana) => {
    const { edges } = await checkout.orders.list(account, { eventId: event.id, first: 9 })
    const orders = edges.map(({ node }) => node)
    return Promise.all(
      orders.flatMap((order) => order.tickets.map((ticket) => tickets.barcode(ticket, order))),
    )
  }
  await checkout.pay(ana, await checkout.hold(ana, event, [5]), 'pm_capture_refused')
  expect(await codes(ana)).toEqual([null])
  await workOutbox(database, checkout)
  expect(await codes(ana)).toEqual([null])

  await checkout.pay(ben, await checkout.hold(ben, event, [5]))
  expect(await codes(ben)).toEqual([null])
  await workOutbox(database, checkout)
  const [code] = await codes(ben)
  expect(await scan(code as string)).toMatchObject({ no: 4 + 50, seatId: event.seatId(5) })
  expect(await codes(ana)).toEqual([null])
  await expectSettled(database, checkout)
})
