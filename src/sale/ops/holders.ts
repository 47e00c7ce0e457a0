import type { Database } from '../../sql/database/database.ts'
import { type HolderRow, type HolderSelection, readHolders, readHoldsOf } from '../../sql/holds/holders.ts'
import { writeAudit } from '../../sql/ops/audit.ts'
import type { Account } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { badInput } from '../faults.ts'
import type { Holds } from '../holds/holds.ts'
import { createInputFaults } from '../inputFaults.ts'
import { noCursor, type Page, type PageRequest, readCursor, rowsToRead, toPage } from '../page.ts'
import { HoldInCheckout, HoldNotFound } from '../refusals.ts'

export type { HolderRow, HolderSelection }

export interface HoldersRelease {
  eventId: string
  holder: HolderSelection
  reason: string
}

export interface ReleasedHolders {
  /** Holds that this call ended, and their seats. */
  readonly released: number
  readonly seats: number
  /** Holds that stay, because an order is paying for them. */
  readonly inCheckout: number
}

/** Who holds seats: for ops, against accounts that hold and do not pay. */
export interface Holders {
  /**
   * Returns the accounts with live holds; those of the address or device with the most held seats come first. Pages are
   * of the moment at which each is read. Throws BAD_USER_INPUT where there is no such event.
   */
  list(request: PageRequest & { eventId: string }): Promise<Page<HolderRow>>
  /**
   * Releases the live holds of an account, an address or a device, with an audit entry. Each hold is released by itself: where
   * the call fails in the middle, a repeated call releases the rest.
   */
  release(account: Account, request: HoldersRelease): Promise<ReleasedHolders>
}

export interface HoldersDeps {
  db: Database
  catalogue: Pick<Catalogue, 'event'>
  holds: Pick<Holds, 'release'>
}

const AT_ONCE = 8
/** The most accounts that an audit entry names. */
const NAMED_ACCOUNTS = 200

export function createHolders({ db, catalogue, holds }: HoldersDeps): Holders {
  async function requireEvent(eventId: string, ...path: string[]) {
    if (!(await catalogue.event(eventId))) throw badInput({ path, message: 'there is no such event' })
  }

  return {
    async list({ eventId, ...page }) {
      const limit = rowsToRead(page)
      const after = readHolderCursor(page.after)
      await requireEvent(eventId, 'eventId')
      const rows = await readHolders(db, eventId, after, limit)
      return toPage(rows, page, ({ originSeats, seats, accountId }) => [
        String(originSeats),
        String(seats),
        accountId,
      ])
    },

    async release(account, { eventId, holder, reason }) {
      const faults = createInputFaults()
      faults.text(['input', 'reason'], reason)
      faults.text(['input', 'holder', holder.kind], holder.value)
      faults.throwAny()
      await requireEvent(eventId, 'input', 'eventId')
      const found = await readHoldsOf(db, eventId, holder)
      const accounts = [...new Set(found.map(({ accountId }) => accountId))]
      // Written first: no release lacks its audit entry. It names the accounts, since digests of origins are not kept.
      await writeAudit(db.pool, {
        eventId,
        accountId: account.id,
        action: 'releaseHolds',
        subject: holder.kind === 'account' ? holder.value : eventId,
        detail: {
          by: holder.kind,
          reason,
          holds: found.length,
          accounts: accounts.slice(0, NAMED_ACCOUNTS),
          ...(accounts.length > NAMED_ACCOUNTS && { moreAccounts: accounts.length - NAMED_ACCOUNTS }),
        },
      })
      const total = { released: 0, seats: 0, inCheckout: 0 }
      for (let i = 0; i < found.length; i += AT_ONCE)
        await Promise.all(
          found.slice(i, i + AT_ONCE).map(async ({ id, accountId, quantity }) => {
            const result = await holds.release({ id: accountId }, id)
            if (result instanceof HoldInCheckout) total.inCheckout += 1
            else if (!(result instanceof HoldNotFound) && result.state === 'RELEASED') {
              total.released += 1
              total.seats += quantity
            }
          }),
        )
      return total
    },
  }
}

function readHolderCursor(after: string | null | undefined) {
  const parts = readCursor(after, 3)
  if (!parts) return null
  const [originSeats, seats, accountId] = parts as [string, string, string]
  if (!/^\d{1,9}$/.test(originSeats) || !/^\d{1,9}$/.test(seats)) throw noCursor()
  return { originSeats: Number(originSeats), seats: Number(seats), accountId }
}
