import './scalars.ts'
import './event.ts'
import './eventRefund.ts'
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
import './viewer.ts'
import './organizer.ts'
import './refund.ts'
import './endPayment.ts'
import './sandbox.ts'
import './auditTrail.ts'
import './deadLetters.ts'
import './holders.ts'
import './reconciliation.ts'
import './saleMetrics.ts'
import './nodeById.ts'
import { printSchema } from 'graphql'
import { builder } from './builder.ts'
import { describeNumbers } from './numberInputs.ts'

/** The API, in the order of the journey. */
export const schema = describeNumbers(builder.toSchema())

/** Returns the text of schema/schema.graphql. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`
}
