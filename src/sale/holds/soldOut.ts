import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database.ts'
import * as sql from '../../sql/sales.ts'
import type { Sales } from '../sales/sales.ts'

/** Whether nothing is left of an event that anybody may come to have: by a committed read, begun after the call. */
export type IsSoldOut = (eventId: string) => Promise<boolean>

/** A look at every seat of a large hall, which those who still find something have better use for. */
const MOST_BETWEEN_LOOKS_MS = 50

/**
 * Looks only where this process's sale, a second old, says so: it costs nothing before the end. What has come back within
 * that second is for who happens to ask.
 */
export function createSoldOut(db: Database, sales: Pick<Sales, 'find'>): IsSoldOut {
  const looks = createSharedReads<boolean>(MOST_BETWEEN_LOOKS_MS)
  return async (eventId) =>
    (await sales.find(eventId))?.state === 'SOLD_OUT' && looks.read(eventId, () => sql.isSoldOut(db, eventId))
}
