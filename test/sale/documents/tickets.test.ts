import { createCanvas } from '@napi-rs/canvas'
import jsQR from 'jsqr'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { afterAll, expect, test } from 'vitest'
import type { CatalogueEvent } from '../../../src/sale/catalogue/catalogue.ts'
import { createDocumentMaker } from '../../../src/sale/documents/documentMaker.ts'
import { type TicketSheet, ticketSheet } from '../../../src/sale/documents/ticketSheet.ts'
import { createTypst } from '../../../src/sale/documents/typst.ts'
import { type Locale, localeOf } from '../../../src/sale/languages.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'

const maker = createDocumentMaker()
afterAll(() => maker.close())
const make = (sheet: TicketSheet) => maker.make({ kind: 'tickets', sheet })

const order: OrderView = {
  id: 'ord_k3v9_1',
  eventId: 'evt_k3v9',
  accountId: 'ana',
  state: 'CONFIRMED',
  payment: 'CAPTURED',
  holdId: 'hld_k3v9_1',
  amount: { amount: 10_900n, currency: 'EUR' },
  refunded: 0n,
  items: [
    { seatNo: 1, levelNo: 1, price: 5_000n, fee: 450n },
    { seatNo: 2, levelNo: 1, price: 5_450n, fee: 0n },
  ],
  tickets: [
    { id: 'tkt_k3v9_1s1', eventId: 'evt_k3v9', orderId: 'ord_k3v9_1', no: 0, seatNo: 1, voided: false },
    { id: 'tkt_k3v9_1s2', eventId: 'evt_k3v9', orderId: 'ord_k3v9_1', no: 1, seatNo: 2, voided: false },
  ],
  declineReason: null,
  nextAction: null,
  placedAt: new Date(0),
} as OrderView

const eventOf = (name: string) =>
  ({
    id: 'evt_k3v9',
    name,
    performers: ['The Testers'],
    venueName: 'Waldbühne',
    venueCity: 'Berlin',
    startsAt: new Date('2027-01-30T19:00:00Z'),
    timeZone: 'Asia/Tokyo',
    sectionOfSeat: (seatNo: number) => ({ name: seatNo === 1 ? 'Block A' : 'Arena' }),
    seat: (seatNo: number) => (seatNo === 1 ? { row: '12', number: '7' } : undefined),
  }) as unknown as CatalogueEvent

const barcodes = ['FG1:ABC/DEF*123', `eyJhbGciOiJFZERTQSJ9.${'x'.repeat(280)}`]
const sheetOf = (name: string, tag = 'en') =>
  ticketSheet(
    order,
    eventOf(name),
    order.tickets.map((ticket, i) => ({ ticket, barcode: barcodes[i] as string })),
    localeOf(tag) as Locale,
  )

/** The text of each page, in the order of reading, and what the QR code of each page says. */
async function read(pdf: Buffer) {
  const document = await getDocument({ data: Uint8Array.from(pdf), verbosity: 0 }).promise
  const pages = await Promise.all(
    Array.from({ length: document.numPages }, async (_, i) => {
      const page = await document.getPage(i + 1)
      const { items } = await page.getTextContent()
      const text = items.map((item) => ('str' in item ? item.str : '')).join(' ')
      return { page, text: text.normalize('NFKC').replace(/\s+/g, ' '), tree: await page.getStructTree() }
    }),
  )
  const metadata = await document.getMetadata()
  return { pages, info: metadata.info as Record<string, unknown>, markInfo: await document.getMarkInfo() }
}

type Page = Awaited<ReturnType<typeof read>>['pages'][number]['page']

/** Draws a page at 110 dots an inch, and returns what a scanner reads in its QR code. */
async function scan(page: Page): Promise<string | undefined> {
  const viewport = page.getViewport({ scale: 110 / 72 })
  const [width, height] = [Math.ceil(viewport.width), Math.ceil(viewport.height)]
  const canvas = createCanvas(width, height)
  const canvasContext = canvas.getContext('2d')
  await page.render({ canvas: null, canvasContext: canvasContext as never, viewport }).promise
  const { data } = canvasContext.getImageData(0, 0, width, height)
  // Its types describe an ES module, which it is not.
  const decode = jsQR as unknown as typeof jsQR.default
  return decode(new Uint8ClampedArray(data), width, height)?.data
}

test('a ticket has its seat, its event by the clock of the event, its price with the fee, and its terms', async () => {
  const { pages, info, markInfo } = await read(await make(sheetOf('Mötley Concert')))
  expect(pages).toHaveLength(2)
  const [first, second] = pages as [(typeof pages)[0], (typeof pages)[0]]
  for (const text of [
    'Mötley Concert',
    'The Testers',
    'Sunday, January 31, 2027 at 4:00 AM (Asia/ Tokyo)',
    'Waldbühne, Berlin',
    'Block A',
    'Row 12',
    'Seat 7',
    '€54.50 (including a fee of €4.50)',
    'Order: ord_k3v9_1',
    'tkt_k3v9_1s1',
    'The QR code admits one person, once.',
  ])
    expect(first.text.replace('(Asia/Tokyo)', '(Asia/ Tokyo)')).toContain(text)
  expect(second.text).toContain('Arena')
  expect(second.text).toContain('General admission')
  expect(second.text).not.toContain('fee')
  expect(info.Title).toBe('Tickets for Mötley Concert')
  expect(markInfo).toEqual(new Map(Object.entries({ Marked: true, UserProperties: false, Suspects: false })))
  expect(JSON.stringify(first.tree)).toContain('QR code of ticket tkt_k3v9_1s1')
})

test('a ticket carries every script, joined and in its direction', async () => {
  const names = [
    'Ελληνικά Кириллица',
    'שלום עולם',
    '東京ドーム 演唱会',
    '한국어 공연',
    'हिन्दी संगीत',
    'เทศกาลดนตรี',
    '🎉',
  ]
  const { pages } = await read(await make(sheetOf(names.join(' '))))
  for (const name of names)
    for (const letter of name.replaceAll(' ', '')) expect(pages[0]?.text).toContain(letter)
  const arabic = await read(await make(sheetOf('مهرجان الموسيقى 2026', 'ar')))
  expect(arabic.pages[0]?.text.replace(/[\u2066-\u2069]/g, '')).toMatch(/الموسيقى|مهرجان/)
  expect(arabic.pages[0]?.text).toContain('الشروط')
})

test('a text of an organizer is never markup', async () => {
  const name = '#panic() $x$ *bold* [a] // no \\ <b> `raw`'
  const { pages } = await read(await make(sheetOf(name)))
  expect(pages[0]?.text.replaceAll(' ', '')).toContain(name.replaceAll(' ', ''))
})

test('a ticket with a character that no font has is still made', async () => {
  const { pages } = await read(await make(sheetOf('ਪੰਜਾਬੀ concert')))
  expect(pages[0]?.text).toContain('concert')
})

test('the same ticket has the same bytes in every process', async () => {
  const other = createTypst()
  expect((await make(sheetOf('Same'))).equals(other(sheetOf('Same')))).toBe(true)
})

test('a scanner reads the barcode of each page, short or long', async () => {
  const { pages } = await read(await make(sheetOf('Mötley Concert', 'ar')))
  expect(await Promise.all(pages.map(({ page }) => scan(page)))).toEqual(barcodes)
})
