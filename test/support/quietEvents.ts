import { newEventId } from '../../src/sale/ids.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { insertEvent } from './event.ts'

/** Inserts events on sale in which nothing happens, with a waiting room and 20 seats each. Returns their ids. */
export async function insertQuietEvents(db: Database, count: number): Promise<string[]> {
  const { id: example } = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 20 }] })
  const ids = Array.from({ length: count - 1 }, () => newEventId())
  for (const table of ['events', 'sections', 'price_levels', 'sales', 'rooms', 'seats']) {
    const id = table === 'events' ? 'id' : 'event_id'
    const slug = table === 'events' ? `, 'slug', 'quiet-' || n.id` : ''
    const { rows } = await db.pool.query<{ columns: string; values: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as columns,
         string_agg('(r).' || quote_ident(attname), ', ' order by attnum) as values
       from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    await db.pool.query(
      `insert into ${table} (${rows[0]?.columns})
       select ${rows[0]?.values} from (
         select jsonb_populate_record(x, jsonb_build_object($2::text, n.id ${slug})) as r
         from ${table} x cross join unnest($1::text[]) n (id) where x.${id} = $3) made`,
      [ids, id, example],
    )
  }
  return [example, ...ids]
}
