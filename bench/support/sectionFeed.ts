import { SeatSectionDocument } from '../../clients/sdk/generated/operations.ts'
import { makeKeys } from '../../src/keys.ts'
import { createDatabase } from '../../src/sql/database/database.ts'
import { insertEvent } from '../../test/support/event.ts'
import { testRoom } from '../../test/support/room.ts'
import { type Served, startApi } from './processes.ts'
import { startStores } from './stores.ts'

/** Seats that change in a quarter of a second in a busy section. */
const SEATS = 12
const SECTION = 480

/** An API and a section, whose changes this process publishes to the API. */
export interface SectionFeed {
  readonly api: Served
  /** The message with which a socket subscribes to the section. */
  readonly follow: readonly [object & { id: string }]
  /** Holds the next seats of the section in order, or releases them in every second pass through the section. */
  changeSeats(): Promise<void>
  stop(): Promise<void>
}

export async function startSectionFeed(): Promise<SectionFeed> {
  const stores = await startStores()
  const db = createDatabase(stores.databaseUrl)
  const event = await insertEvent(db, { sections: [{ seats: SECTION }] })
  const room = await testRoom({ db, redisUrl: stores.redisUrl })
  const api = await startApi(stores, await makeKeys())
  let revision = 0
  return {
    api,
    follow: [subscribeMessage(event.id)],
    changeSeats() {
      const first = (revision * SEATS) % SECTION
      const status = Math.floor((revision * SEATS) / SECTION) % 2 === 0 ? 1 : 0
      revision++
      const seats = Array.from({ length: SEATS }, (_, i) => ({ seatNo: first + i + 1, status, revision }))
      return room.seatMap.publish(event.id, seats as never)
    },
    async stop() {
      room.close()
      await db.close()
      await api.stop()
      await stores.stop()
    },
  }
}

/** The subscribe message of graphql-ws. The id has the form that its client uses. */
export function subscribeMessage(eventId: string, id: string = crypto.randomUUID()) {
  const payload = { query: SeatSectionDocument.text, variables: { eventId, sectionId: 'A' } }
  return { id, type: 'subscribe', payload }
}
