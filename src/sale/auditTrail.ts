import { type AuditEntryRow, findAuditEntry, readAudit } from '../sql/audit.ts'
import type { Database } from '../sql/database.ts'
import { type Page, type PageRequest, readTimeCursor, rowsToRead, toPage } from './page.ts'

export interface AuditTrail {
  /** Of one event or of all, newest first. */
  list(request: PageRequest & { eventId?: string | null }): Promise<Page<AuditEntryRow>>
  find(id: string): Promise<AuditEntryRow | null>
}

export function createAuditTrail({ db }: { db: Database }): AuditTrail {
  return {
    async list(request) {
      const limit = rowsToRead(request)
      const rows = await readAudit(db, request.eventId ?? null, readTimeCursor(request.after), limit)
      return toPage(rows, request, (row) => [row.at.toISOString(), row.id])
    },
    find: (id) => findAuditEntry(db, id),
  }
}
