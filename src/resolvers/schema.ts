import './builder/scalars.ts'
import './event.ts'
import './ops/eventRefund.ts'
import './sale.ts'
import './section.ts'
import './planArea.ts'
import './availability.ts'
import './room.ts'
import './queue.ts'
import './hold.ts'
import './order.ts'
import './ticket.ts'
import './waitlist.ts'
import './turnAlerts.ts'
import './viewer.ts'
import './ops/organizer.ts'
import './ops/refund.ts'
import './endPayment.ts'
import './sandbox.ts'
import './ops/auditTrail.ts'
import './ops/deadLetters.ts'
import './ops/holders.ts'
import './ops/reconciliation.ts'
import './ops/saleMetrics.ts'
import './builder/nodeById.ts'
import { printSchema } from 'graphql'
import { builder } from './builder/builder.ts'
import { describeNumbers } from './builder/numberInputs.ts'
import { withVersion } from './builder/schemaVersion.ts'

/** The API, in the order of the journey. */
export const schema = withVersion(describeNumbers(builder.toSchema()))

/** Returns the text of schema/schema.graphql. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`
}
