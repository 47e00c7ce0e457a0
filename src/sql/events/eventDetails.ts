import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { writeAudit } from '../ops/audit.ts'
import type { EventAppearance, EventRow } from '../plans.ts'

/** The parts of an event that its owners may change after its creation. */
export type EventDetails = Pick<EventRow, 'name' | 'performers' | 'venueName' | 'venueCity'> & {
  readonly appearance: EventAppearance | null
}

/** A field that is left out stays as it is. */
export type DetailsChange = Partial<Omit<EventDetails, 'appearance'>> & {
  readonly appearance?: Partial<EventAppearance>
}

/** Null where there is no such event. */
export async function readEventDetails({ prisma }: Database, eventId: string): Promise<EventDetails | null> {
  const row = await prisma.event.findUnique({
    where: { id: eventId },
    select: { name: true, performers: true, venueName: true, venueCity: true, appearance: true },
  })
  return row as EventDetails | null
}

/** Changes an event, with its audit entry, in one transaction. */
export function changeEventDetails(
  db: Database,
  accountId: string,
  eventId: string,
  change: DetailsChange,
): Promise<void> {
  return inTransaction(db, async (client) => {
    await client.query(
      `update events set
         name = coalesce($2, name),
         performers = coalesce($3, performers),
         venue_name = coalesce($4, venue_name),
         venue_city = case when $5 then $6 else venue_city end,
         appearance = case when $7::jsonb is null then appearance else coalesce(appearance, $8::jsonb) || $7::jsonb end
       where id = $1`,
      [
        eventId,
        change.name,
        change.performers,
        change.venueName,
        'venueCity' in change,
        change.venueCity,
        change.appearance && JSON.stringify(change.appearance),
        JSON.stringify(NOTHING),
      ],
    )
    await writeAudit(client, {
      eventId,
      accountId,
      action: 'updateEvent',
      subject: eventId,
      detail: { ...change, ...(change.appearance && { appearance: shortened(change.appearance) }) },
    })
  })
}

const NOTHING: EventAppearance = { imageUrl: null, accentColor: null, presaleText: null, terms: null }

/** Characters of each text in the audit entry: terms may have 20,000. */
const AUDITED = 200

function shortened(appearance: Partial<EventAppearance>): Partial<EventAppearance> {
  return Object.fromEntries(
    Object.entries(appearance).map(([field, text]) => [
      field,
      text && text.length > AUDITED ? `${[...text].slice(0, AUDITED).join('')}…` : text,
    ]),
  )
}
