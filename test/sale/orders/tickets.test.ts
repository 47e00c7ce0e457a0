import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { importKeys, makeKeys, publicKeys } from '../../../src/keys.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { BARCODE_TYPE, createTickets } from '../../../src/sale/orders/tickets.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const database = await testDatabase()
const keys = await importKeys(await makeKeys())
const tickets = createTickets({ keys, catalogue: createCatalogue(database) })
const event = await insertEvent(database, { sections: [{ seats: 40 }, { places: 10, key: 'floor' }] })
const door = createLocalJWKSet(publicKeys(keys.barcodes))
const read = (barcode: string) => jwtVerify(barcode, door, { algorithms: ['EdDSA'], typ: BARCODE_TYPE })

test('a barcode names event, ticket, section and seat, and has no personal data', async () => {
  const barcode = await tickets.barcode({ id: 'tkt_x_1s21', eventId: event.id, seatNo: 21 })
  const { payload, protectedHeader } = await read(barcode)
  expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: keys.barcodes[0].kid, typ: 'fairgate-ticket+jwt' })
  expect(payload).toEqual({ event: event.id, ticket: 'tkt_x_1s21', section: 'A', seat: 'A-2-1' })
})

test('a general-admission ticket names its section only', async () => {
  const barcode = await tickets.barcode({ id: 'tkt_x_1s41', eventId: event.id, seatNo: 41 })
  expect((await read(barcode)).payload).toEqual({ event: event.id, ticket: 'tkt_x_1s41', section: 'floor' })
})

test('a ticket’s barcode is always the same, and a changed barcode is refused', async () => {
  const ticket = { id: 'tkt_x_1s1', eventId: event.id, seatNo: 1 }
  const barcode = await tickets.barcode(ticket)
  expect(await tickets.barcode(ticket)).toBe(barcode)

  const [header, , signature] = barcode.split('.')
  const other = Buffer.from(JSON.stringify({ ...decodeJwt(barcode), ticket: 'tkt_x_2s1' })).toString(
    'base64url',
  )
  await expect(read(`${header}.${other}.${signature}`)).rejects.toThrow('signature verification failed')
})

test('after a key rotation the old barcodes stay valid, and the new key signs', async () => {
  const old = await makeKeys()
  const next = await makeKeys()
  const before = await importKeys(old)
  const after = await importKeys({ ...next, barcodes: [...next.barcodes, ...old.barcodes] })
  const catalogue = createCatalogue(database)
  const ticket = { id: 'tkt_x_1s1', eventId: event.id, seatNo: 1 }
  const sold = await createTickets({ keys: before, catalogue }).barcode(ticket)
  const soldLater = await createTickets({ keys: after, catalogue }).barcode(ticket)
  const rotated = createLocalJWKSet(publicKeys(after.barcodes))
  for (const [barcode, kid] of [
    [sold, old.barcodes[0]?.kid],
    [soldLater, next.barcodes[0]?.kid],
  ] as const) {
    expect((await jwtVerify(barcode, rotated)).protectedHeader.kid).toBe(kid)
  }
})
