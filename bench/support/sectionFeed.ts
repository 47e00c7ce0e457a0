import { watchSection } from '../../clients/sdk/operations.ts'
import { makeKeys } from '../../src/keys.ts'
import { createDatabase } from '../../src/sql/database.ts'
import { insertEvent } from '../../test/support/event.ts'
import { testRoom } from '../../test/support/room.ts'
import { type Served, startApi } from './processes.ts'
import { startStores } from './stores.ts'

/** Seats that change hands in a quarter of a second of a busy section. */
const SEATS = 12
const SECTION = 480

/** An API, and a section whose changes another process publishes to it. */
export interface SectionFeed {
  readonly api: Served
  /** What a socket says to follow the section. */
  readonly follow: readonly [object & { id: string }]
  /** The next seats in order become held, and in the next round through the section available again. */
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

/** As graphql-ws's client names its operations. */
export function subscribeMessage(eventId: string, id: string = crypto.randomUUID()) {
  const payload = { query: watchSection.text, variables: { eventId, sectionId: 'A' } }
  return { id, type: 'subscribe', payload }
}
