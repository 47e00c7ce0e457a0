import { expect, test } from 'vitest'
import type { CatalogueEvent } from '../../../src/sale/catalogue/catalogue.ts'
import type { DocumentMaker, DocumentWork } from '../../../src/sale/documents/documentMaker.ts'
import { createDocuments, type DocumentsDeps } from '../../../src/sale/documents/documents.ts'
import { DEFAULT_LOCALE } from '../../../src/sale/languages.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'

const event = {
  id: 'evt_x',
  name: 'Concert',
  performers: [],
  venueName: 'Hall',
  venueCity: null,
  startsAt: new Date('2027-01-30T19:00:00Z'),
  timeZone: 'Europe/Berlin',
  sectionOfSeat: () => ({ name: 'A' }),
  seat: () => undefined,
} as unknown as CatalogueEvent

function orderOf(count: number): OrderView {
  const seatNos = Array.from({ length: count }, (_, i) => i + 1)
  return {
    id: `ord_x_${count}`,
    eventId: event.id,
    state: 'CONFIRMED',
    payment: 'CAPTURED',
    amount: { amount: 100n, currency: 'EUR' },
    items: seatNos.map((seatNo) => ({ seatNo, price: 100n, fee: 0n })),
    tickets: seatNos.map((seatNo) => ({ id: `tkt_x_${seatNo}`, seatNo, voided: false })),
  } as unknown as OrderView
}

function testDocuments(bytes: number) {
  const made: string[] = []
  const makerOf = (name: string): DocumentMaker => ({
    async make(work: DocumentWork) {
      made.push(`${name} ${work.kind === 'tickets' && work.sheet.tickets.length}`)
      return Buffer.alloc(bytes)
    },
    close: () => void made.push(`${name} closed`),
  })
  const documents = createDocuments({
    tickets: { barcode: async () => 'code' },
    maker: makerOf('small'),
    largeMaker: makerOf('large'),
  } as unknown as DocumentsDeps)
  const make = (tickets: number) => documents.attachment(orderOf(tickets), event, DEFAULT_LOCALE)
  return { documents, make, made }
}

test('a file of more than a hundred tickets is made apart from the others', async () => {
  const { documents, make, made } = testDocuments(1)
  for (const tickets of [2, 100, 101, 1_000]) await make(tickets)
  documents.close()
  expect(made).toEqual(['small 2', 'small 100', 'large 101', 'large 1000', 'small closed', 'large closed'])
})

test('a file is kept for the next request, but not a large one', async () => {
  const small = testDocuments(1_000)
  for (let i = 0; i < 2; i++) await small.make(2)
  expect(small.made).toEqual(['small 2'])
  const large = testDocuments(2_000_000)
  for (let i = 0; i < 2; i++) await large.make(2)
  expect(large.made).toEqual(['small 2', 'small 2'])
})
