import type { AuditEntryRow } from '../../sql/ops/audit.ts'
import { builder } from '../builder/builder.ts'
import { connection, perEntry } from '../builder/connection.ts'
import { Node } from '../builder/node.ts'

const AuditEntry = builder.objectRef<AuditEntryRow>('AuditEntry').implement({
  description: 'What an organizer or ops did, with the reason.',
  interfaces: [Node],
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime' }),
    accountId: t.exposeID('accountId'),
    action: t.exposeString('action'),
    subject: t.exposeID('subject'),
    detail: t.expose('detail', { type: 'JSON' }),
  }),
})

const AuditConnection = connection('Audit', AuditEntry)

builder.queryField('auditTrail', (t) =>
  t.withAuth({ ops: true }).field({
    type: AuditConnection,
    description: 'Role ops. What organizers and ops did, newest first.',
    args: { eventId: t.arg.id(), first: t.arg.int({ defaultValue: 50 }), after: t.arg.string() },
    complexity: perEntry,
    resolve: (_root, { eventId, first, after }, { app }) =>
      app.auditTrail.list({ eventId, first: first ?? 50, after }),
  }),
)
