import type { Mail } from '../../src/mail.ts'
import { createPush } from '../../src/push/push.ts'
import { type AlertSenderDeps, createAlertSender } from '../../src/sale/turnAlerts/alertSender.ts'
import type { AlertsInput } from '../../src/sale/turnAlerts/turnAlerts.ts'
import type { Database } from '../../src/sql/database/database.ts'
import type { TestDatabase } from './database.ts'
import { insertEvent } from './event.ts'
import { pushService } from './pushService.ts'
import { fan, fillLine, nextTick, type TestFan, type TestRoom } from './room.ts'

/** A line whose fans request alerts, with a push service and a mailer of the test. */
export async function alertLine(db: TestDatabase, room: TestRoom) {
  const service = await pushService()
  const mails: Mail[] = []

  const sender = (more: Partial<AlertSenderDeps> & { deadlineMs?: number } = {}) =>
    createAlertSender({
      ...room,
      mailer: { send: async (mail) => void mails.push(mail) },
      push: createPush({
        agent: service.agent,
        keys: room.keys,
        contact: 'tickets@example.com',
        deadlineMs: more.deadlineMs ?? 30_000,
      }),
      publicUrl: 'https://tickets.example.com',
      ...more,
    })

  return {
    service,
    mails,
    sender,
    /** An event with so many fans in its line, of whom none was called. */
    async open(count: number) {
      const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 400 }], rate: 100 })
      const fans = Array.from({ length: count }, () => fan())
      const tokens = await fillLine(room, event.id, fans)
      await nextTick(room, event.id)
      await moveLine(room.roomDb, event.id, 0, 0)
      await room.rooms.refresh(event.id)
      return {
        event,
        fans,
        tokens,
        /** Has called places up to `admittedUpTo`, at so many a minute. */
        async call(admittedUpTo: number, perMinute = 0) {
          await moveLine(room.roomDb, event.id, admittedUpTo, perMinute)
          await room.rooms.refresh(event.id)
        },
        /** The fan at this arrival requests alerts. */
        request: (arrival: number, input: Omit<AlertsInput, 'queueToken'>) => {
          const who = fans[arrival - 1] as TestFan
          return room.turnAlerts.request(who.account, who, {
            queueToken: tokens[arrival - 1] as string,
            ...input,
          })
        },
      }
    },
    rows: () =>
      db.sql<{ arrival: number; moment: string | null; sending: string | null; attempts: number }>(
        'select arrival, moment, sending, attempts from turn_alerts order by arrival, target',
      ),
  }
}

/** A room that has called these places, the last of them within a minute. */
async function moveLine({ pool }: Database, eventId: string, admittedUpTo: number, perMinute: number) {
  await pool.query('delete from calls where event_id = $1', [eventId])
  await pool.query(
    `insert into calls (event_id, tick, at, admitted_up_to, worked)
     values ($1, 1, now() - interval '1 hour', $2, 0), ($1, 2, now(), $3, 3600)`,
    [eventId, admittedUpTo - perMinute, admittedUpTo],
  )
  await pool.query(
    'update rooms set admitted_up_to = $2, worked = 3600, tick = tick + 10, ticked_at = now() where event_id = $1',
    [eventId, admittedUpTo],
  )
}
