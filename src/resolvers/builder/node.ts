import { builder } from './builder.ts'

/** The type of an id by its prefix (src/sale/ids.ts). */
const TYPES: Readonly<Record<string, string>> = {
  evt: 'Event',
  sal: 'Sale',
  sec: 'Section',
  seat: 'Seat',
  lvl: 'PriceLevel',
  hld: 'Hold',
  ord: 'Order',
  tkt: 'Ticket',
  wle: 'WaitlistEntry',
  aud: 'AuditEntry',
  dl: 'DeadLetter',
}

export const Node = builder.interfaceRef<{ readonly id: string }>('Node').implement({
  description: 'An object with an id of its own, which `node` finds.',
  fields: (t) => ({ id: t.exposeID('id') }),
  resolveType: ({ id }) => typeOf(id),
})

/** Returns the name of an id's type, or undefined. */
export function typeOf(id: string): string | undefined {
  return TYPES[id.slice(0, id.indexOf('_'))]
}
