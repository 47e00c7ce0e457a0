import pino from 'pino'
import { afterEach } from 'vitest'
import type { Mail } from '../../src/mail.ts'
import type { ChannelHub, Listener } from '../../src/redis/channelHub.ts'
import type { Account } from '../../src/sale/caller.ts'
import { createCatalogue } from '../../src/sale/catalogue/catalogue.ts'
import { createBlocks } from '../../src/sale/holds/blocks.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import type { SaleView } from '../../src/sale/saleView.ts'
import { createWaitlist, type WaitlistEntryView } from '../../src/sale/waitlist/waitlist.ts'
import type { WaitlistInput } from '../../src/sale/waitlist/waitlistInput.ts'
import type { SeatChange } from '../../src/seatStatus.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { cancelOrder } from '../../src/sql/orders/orderTransitions.ts'
import { readSale } from '../../src/sql/sales.ts'
import { countSeats } from '../../src/sql/seats.ts'
import { type TestCheckout, testAccount, testCheckout } from './checkout.ts'
import { testDatabase } from './database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from './event.ts'
import { askFor } from './holds.ts'
import { expectInvariants } from './invariants.ts'

/** The waitlist of one process, with channels of its own. */
export function testWaitlist(db: Database) {
  const listeners = new Map<string, Set<Listener>>()
  const mapChanges: SeatChange[] = []
  const mails: Mail[] = []
  const hub: ChannelHub = {
    listen(channel, listener) {
      const set = listeners.get(channel) ?? new Set()
      listeners.set(channel, set.add(listener))
      return () => set.delete(listener)
    },
    close() {},
  }
  async function readSaleView(eventId: string): Promise<SaleView | null> {
    const [sale, sections] = await Promise.all([readSale(db, eventId), countSeats(db, eventId)])
    const available = sections.reduce((sum, section) => sum + section.available, 0)
    return sale && ({ ...sale, counts: { available } } as SaleView)
  }
  const waitlist = createWaitlist({
    db,
    catalogue: createCatalogue(db),
    sales: { find: readSaleView },
    seatMap: { publish: (_eventId, changes) => mapChanges.push(...changes) },
    hub,
    publish(channel, message) {
      for (const listener of listeners.get(channel) ?? []) listener(message)
    },
    mailer: { send: async (mail) => void mails.push(mail) },
    publicUrl: 'https://tickets.example.com',
    log: pino({ enabled: false }),
  })
  return {
    ...waitlist,
    mapChanges,
    mails,
    /** Joins, and returns the entry. Throws where the waitlist refuses. */
    async joined(account: Account, event: TestEvent, input: Partial<WaitlistInput> = {}) {
      const entry = await waitlist.join(account, { eventId: event.id, quantity: 1, ...input })
      if (!('state' in entry)) throw new Error(`not joined: ${entry.constructor.name}`)
      return entry as WaitlistEntryView
    },
  }
}

/** Sells every seat and returns the orders. No payment is captured, so that each order can be cancelled. */
export async function sellOut(
  sale: TestCheckout,
  event: TestEvent,
  accounts: () => Account,
  seatsAnOrder = 8,
): Promise<{ id: string; seatNos: number[] }[]> {
  const orders: { id: string; seatNos: number[] }[] = []
  for (let i = 0; i < event.seatNos.length; i += seatsAnOrder) {
    const seatNos = event.seatNos.slice(i, i + seatsAnOrder)
    const account = accounts()
    const section = (await sale.catalogue.event(event.id))?.sectionOfSeat(seatNos[0] as number)
    const hold =
      section?.kind === 'GENERAL_ADMISSION'
        ? await askFor(sale.holds, account, event, {
            generalAdmission: { sectionId: section.id, quantity: seatNos.length },
          })
        : await sale.hold(account, event, seatNos)
    const order = await sale.pay(account, hold as HoldView)
    if (!('state' in order) || order.state !== 'CONFIRMED') throw new Error('not sold')
    orders.push({ id: order.id, seatNos })
  }
  return orders
}

/**
 * The database of one test file, with a checkout, a waitlist and seat blocks. After each test it checks the invariants of
 * every event that `newEvent` and `soldOut` made.
 */
export async function waitlistScene() {
  const database = await testDatabase({ connections: 30 })
  const sale = testCheckout(database)
  const waitlist = testWaitlist(database)
  const events: TestEvent[] = []
  afterEach(async () => {
    for (const event of events.splice(0)) await expectInvariants(database, event.id)
  })

  async function newEvent(options: TestEventOptions) {
    const event = await insertEvent(database, options)
    events.push(event)
    return event
  }

  return {
    database,
    sale,
    waitlist,
    blocks: createBlocks({ db: database, catalogue: sale.catalogue, seatMap: { publish() {} } }),
    newEvent,

    /** An event of eight seats, all of them sold; `cancel` cancels one of the orders. */
    async soldOut(options: TestEventOptions = {}, seatsAnOrder = 8) {
      const event = await newEvent({ sections: [{ seats: 8 }], ...options })
      const orders = await sellOut(sale, event, testAccount, seatsAnOrder)
      const cancel = (i: number) => cancelOrder(database, event.id, orders[i]?.id as string)
      return { event, orders, cancel }
    },

    stateOf: async (account: Account, id: string) => (await waitlist.find(account, id))?.state,

    /** The hold that an entry is offered. */
    async offerOf(account: Account, id: string): Promise<HoldView> {
      const entry = await waitlist.find(account, id)
      const hold = entry?.holdId ? await sale.holds.find(account, entry.holdId) : null
      if (!hold) throw new Error(`no offer: ${entry?.state}`)
      return hold
    },

    /** Why an entry was passed over; null where it was not. */
    async reasonOf(id: string): Promise<string | null> {
      const [row] = await database.sql('select passed_over from waitlist_entries where id = $1', [id])
      return row?.passed_over
    },

    isWaitlistOnly: async (event: TestEvent) => (await readSale(database, event.id))?.waitlistOnly,

    /** Adds entries for two seats each, of an account each. */
    insertEntries: (event: TestEvent, count: number) =>
      database.sql(
        `insert into waitlist_entries (event_id, id, account_id, quantity, accept_fewer)
         select $1, 'wle_x_' || $1 || i, 'fan' || i, 2, false from generate_series(1, $2::int) i`,
        [event.id, count],
      ),
  }
}
