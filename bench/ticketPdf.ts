// What:     the file of an order of two tickets, made again and again on the thread of its process (sale/documents/documentMaker.ts).
//           CPU time a file, the longest event loop delay of the process meanwhile, and the memory that the thread takes.
// Limit:    the event loop delay of the process while nothing happens.
// Target:   event loop delay at most 50 ms.
// Measured:
// - A file takes 11 ms of CPU time, and 15 ms from the call to the file (two runs, two cores, other work beside it).
// - The longest event loop delay was 22 and 31 ms, against 5 and 8 ms while nothing happened.
// - The thread takes some 105 MB, with the fonts and the compiler.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CatalogueEvent } from '../src/sale/catalogue/catalogue.ts'
import { createDocumentMaker } from '../src/sale/documents/documentMaker.ts'
import { ticketSheet } from '../src/sale/documents/ticketSheet.ts'
import { DEFAULT_LOCALE } from '../src/sale/languages.ts'
import type { OrderView } from '../src/sale/orders/orders.ts'
import { figure } from './support/compare.ts'

const FILES = 100
const QUIET_MS = 2_000

const tickets = [1, 2].map((seatNo) => ({
  id: `tkt_k3v9x2m4q8wz_0199aa00bb11cc22dd33ee44ff550000s${seatNo}`,
  eventId: 'evt_k3v9x2m4q8wz',
  orderId: 'ord_k3v9x2m4q8wz_0199aa00bb11cc22dd33ee44ff550000',
  no: seatNo - 1,
  seatNo,
  voided: false,
}))
const event = {
  name: 'Mötley Concert',
  performers: ['The Testers'],
  venueName: 'Waldbühne',
  venueCity: 'Berlin',
  startsAt: new Date('2027-01-30T19:00:00Z'),
  timeZone: 'Europe/Berlin',
  sectionOfSeat: () => ({ name: 'Block A' }),
  seat: (seatNo: number) => ({ row: '12', number: String(seatNo) }),
} as unknown as CatalogueEvent

const sheetOf = (no: number) =>
  ticketSheet(
    {
      id: `ord_k3v9x2m4q8wz_${no}`,
      amount: { amount: 10_900n, currency: 'EUR' },
      items: tickets.map(({ seatNo }) => ({ seatNo, levelNo: 1, price: 5_000n, fee: 450n })),
    } as unknown as OrderView,
    event,
    tickets.map((ticket) => ({ ticket, barcode: `FG1:${no}:${'A'.repeat(130)}` })),
    DEFAULT_LOCALE,
  )

async function delayOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

const quiet = await delayOf(() => sleep(QUIET_MS))
const memory = process.memoryUsage().rss
const maker = createDocumentMaker()
await maker.make({ kind: 'tickets', sheet: sheetOf(0) })
const before = process.cpuUsage()
const startedAt = performance.now()
const delay = await delayOf(async () => {
  for (let no = 1; no <= FILES; no++) await maker.make({ kind: 'tickets', sheet: sheetOf(no) })
})
const { user, system } = process.cpuUsage(before)
const print = (name: string, value: number, unit: string) =>
  process.stdout.write(`  ${name}: ${figure(value)} ${unit}\n`)
print('CPU time a file', (user + system) / 1_000 / FILES, 'ms')
print('time a file', (performance.now() - startedAt) / FILES, 'ms')
print('event loop delay, quiet', quiet, 'ms')
print('event loop delay, making files', delay, 'ms')
print('memory of the thread', (process.memoryUsage().rss - memory) / 1e6, 'MB')
maker.close()
