import type { Database } from '../../sql/database/database.ts'
import { type AuditEntryRow, findAuditEntry, readAudit } from '../../sql/ops/audit.ts'
import { isEventId } from '../ids.ts'
import { type Page, type PageRequest, readTimeCursor, rowsToRead, toPage } from '../page.ts'
import { isStorable } from '../storable.ts'

export interface AuditTrail {
  /** Returns the entries of one event or of all events, newest first. */
  list(request: PageRequest & { eventId?: string | null }): Promise<Page<AuditEntryRow>>
  find(id: string): Promise<AuditEntryRow | null>
}

export function createAuditTrail({ db }: { db: Database }): AuditTrail {
  return {
    async list(request) {
      const limit = rowsToRead(request)
      const { eventId = null } = request
      const after = readTimeCursor(request.after)
      const isAnyones = eventId === null || isEventId(eventId)
      const rows = isAnyones ? await readAudit(db, eventId, after, limit) : []
      return toPage(rows, request, (row) => [row.exactAt, row.id])
    },
    find: async (id) => (isStorable(id) ? findAuditEntry(db, id) : null),
  }
}
