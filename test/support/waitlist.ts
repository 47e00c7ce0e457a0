import pino from 'pino'
import type { Mail } from '../../src/mail.ts'
import type { ChannelHub, Listener } from '../../src/redis/channelHub.ts'
import type { Account } from '../../src/sale/caller.ts'
import { createCatalogue } from '../../src/sale/catalogue/catalogue.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import type { SeatChange } from '../../src/sale/map/seatStatus.ts'
import type { SaleView } from '../../src/sale/saleView.ts'
import { createWaitlist, type WaitlistEntryView } from '../../src/sale/waitlist/waitlist.ts'
import type { WaitlistInput } from '../../src/sale/waitlist/waitlistInput.ts'
import type { Database } from '../../src/sql/database.ts'
import { readSale } from '../../src/sql/sales.ts'
import { countSeats } from '../../src/sql/seats.ts'
import type { TestCheckout } from './checkout.ts'
import type { TestEvent } from './event.ts'
import { askFor } from './holds.ts'
import { SNATCHABLE } from './invariants.ts'

/** The waitlist as one process has it, on a database and with channels of its own. */
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
    /** Fails where it is refused. */
    async joined(account: Account, event: TestEvent, input: Partial<WaitlistInput> = {}) {
      const entry = await waitlist.join(account, { eventId: event.id, quantity: 1, ...input })
      if (!('state' in entry)) throw new Error(`not joined: ${entry.constructor.name}`)
      return entry as WaitlistEntryView
    },
  }
}

/** Has the database write down each ordinary hold that takes seats where it should not: see SNATCHABLE. */
export async function recordSnatched({ pool }: Database): Promise<void> {
  await pool.query(`
    create table snatched (event_id text, what text);
    create function record_snatched() returns trigger language plpgsql as $$
    begin
      if new.idempotency_key <> 'waitlist' then
        insert into snatched
          select new.event_id, x.what from (${SNATCHABLE.replace('any ($1)', 'new.event_id')}) x;
      end if;
      return null;
    end $$;
    create trigger record_snatched after insert on holds for each row execute function record_snatched()`)
}

/** Sells every seat, up to eight an order; returns the orders. Nothing is captured, so that any can be cancelled. */
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
