import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database/database.ts'
import * as sql from '../../sql/sales.ts'
import type { Sales } from '../sales/sales.ts'
import { MAX_SCAN_PAUSE_MS } from './scanPause.ts'

/**
 * Whether every seat of an event is sold or not for sale, and none can come back to the open sale: by a committed read
 * that began after the call.
 */
export type SoldOutCheck = (eventId: string) => Promise<boolean>

/**
 * The check reads the seats only where this process's copy of the sale, up to a second old, reports that it is sold
 * out: so it costs nothing before the end. A seat that came back within that second goes to the first caller that
 * requests it.
 */
export function createSoldOutCheck(db: Database, sales: Pick<Sales, 'find'>): SoldOutCheck {
  const reads = createSharedReads<boolean>(MAX_SCAN_PAUSE_MS)
  return async (eventId) =>
    (await sales.find(eventId))?.state === 'SOLD_OUT' && reads.read(eventId, () => sql.isSoldOut(db, eventId))
}
