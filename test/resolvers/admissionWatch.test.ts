import { expect, test } from 'vitest'
import { ADMISSION_WATCH } from '../../src/resolvers/admission.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { insertEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'
import { followBySse } from '../support/sse.ts'

const { ask, app, db, url, token, socket } = await testServer()
const { backstopMs } = ADMISSION_WATCH
cleanUp(() => Object.assign(ADMISSION_WATCH, { backstopMs }))

const JOIN = `mutation ($event: ID!) { joinQueue(input: { eventId: $event }) {
  ... on QueuePosition { queueToken } } }`
const POSITION = 'query ($t: String!) { queuePosition(queueToken: $t) { admission { token } } }'
const SEATS = `subscription ($event: ID!, $section: ID!) {
  seatSection(eventId: $event, sectionId: $section) { available } }`

test('the map of a fan whose purchase ended their admission ends, also where the message of that was lost', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1_000 })
  const fan = { token: await token('ana'), device: 'device-of-ana-0123456789' }
  const { data } = await ask(JOIN, { event: event.id }, fan)
  let admission: string | undefined
  while (!admission) {
    await app.pacer.tick(event.id)
    const answer = await ask(POSITION, { t: data.joinQueue.queueToken }, fan)
    admission = answer.data.queuePosition.admission?.token
  }
  Object.assign(ADMISSION_WATCH, { backstopMs: 200 })
  const variables = { event: event.id, section: event.sectionId(1) }
  const client = socket({
    authorization: `Bearer ${fan.token}`,
    deviceId: fan.device,
    admissionToken: admission,
  })
  const ended = new Promise<Json>((resolve) => {
    client.subscribe(
      { query: SEATS, variables },
      { next() {}, error: resolve, complete: () => resolve(null) },
    )
  })
  const headers = {
    authorization: `Bearer ${fan.token}`,
    'device-id': fan.device,
    'admission-token': admission,
  }
  const stream = await followBySse(url, SEATS, variables, { headers })
  await expect.poll(() => stream.results.length).toBe(1)
  // The row as the purchase leaves it; another server has published the message before this one listened.
  await db.sql('update admissions set ended_at = now() where event_id = $1', [event.id])
  expect(await ended).toMatchObject([{ extensions: { code: 'ADMISSION_REQUIRED' } }])
  await expect.poll(stream.isOver).toBe(true)
  // From now on this process knows it.
  const inside = { ...fan, admission }
  const { errors } = await ask(
    `query ($id: ID!) { event(id: $id) { sections { availability { available } } } }`,
    { id: event.id },
    inside,
  )
  expect(errors?.[0]?.extensions.code).toBe('ADMISSION_REQUIRED')
})
