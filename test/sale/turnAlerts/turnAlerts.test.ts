import { beforeEach, expect, test } from 'vitest'
import { MailRefused } from '../../../src/mail.ts'
import { AccountNotVerified, PlaceNotWaiting } from '../../../src/sale/refusals.ts'
import { takeAlerts } from '../../../src/sql/room/alertMessages.ts'
import { testBrowser } from '../../support/pushService.ts'
import type { TestFan } from '../../support/room.ts'
import { alertLine } from '../../support/turnAlerts.ts'
import { twoServers } from '../../support/twoServers.ts'

const { db, first, second } = await twoServers()
const { service, mails, sender, open, rows } = await alertLine(db, first)
const alerts = sender()
const key = first.turnAlerts.pushKey() as string

beforeEach(async () => {
  mails.length = 0
  service.received.length = 0
  service.answers.length = 0
  await db.sql('delete from turn_alerts')
})

test('a fan is called by mail and web push about five minutes before the turn, and at the turn, each once', async () => {
  const line = await open(100)
  const browser = testBrowser(key)
  const answer = await line.request(50, { mail: true, push: browser.subscription, locale: 'de-AT' })
  expect(answer).toEqual({ eventId: line.event.id, mail: true, browsers: 1 })
  expect(await alerts.events()).toContain(line.event.id)

  await line.call(20, 5)
  await alerts.send(line.event.id)
  expect([mails.length, service.received.length]).toEqual([0, 0])

  await line.call(25, 5)
  for (let round = 0; round < 3; round++) await alerts.send(line.event.id)
  expect(mails).toEqual([
    expect.objectContaining({
      to: line.fans[49]?.account.email,
      subject: 'Du bist in etwa fünf Minuten an der Reihe: Test concert',
      language: 'de-AT',
      id: `${line.event.id}.50.soon`,
      text: expect.stringContaining(`https://tickets.example.com/e/${line.event.slug}`),
    }),
  ])
  const [push] = service.received as [(typeof service.received)[0]]
  expect(browser.read(push)).toEqual({
    title: 'Du bist in etwa fünf Minuten an der Reihe: Test concert',
    body: expect.any(String),
    url: `/e/${line.event.slug}`,
    tag: `fairgate.${line.event.slug}.callMe`,
  })
  expect(push.headers).toMatchObject({ urgency: 'high', topic: expect.any(String), ttl: expect.any(String) })
  expect(push.headers.authorization).toMatch(/^vapid t=.*, k=/)

  await line.call(50, 5)
  for (let round = 0; round < 3; round++) await alerts.send(line.event.id)
  expect(mails.map(({ id }) => id)).toEqual([`${line.event.id}.50.soon`, `${line.event.id}.50.turn`])
  expect(mails[1]?.text).toContain('innerhalb von 10 Minuten')
  expect(service.received).toHaveLength(2)
  expect(await rows()).toEqual([])
})

test('two servers that send at once call each fan once', async () => {
  const line = await open(60)
  for (let arrival = 1; arrival <= 60; arrival++) await line.request(arrival, { mail: true })
  const other = sender({ ...second })
  await line.call(60, 5)
  await Promise.all([alerts, other, alerts, other].map(({ send }) => send(line.event.id)))
  expect(mails.map(({ id }) => id).sort()).toEqual(
    line.fans.map((_, i) => `${line.event.id}.${i + 1}.turn`).sort(),
  )
})

test('a process that dies between the commit and the send calls no fan twice; the next moment still comes', async () => {
  const line = await open(20)
  await line.request(10, { mail: true })
  await line.call(5, 5)
  const dying = sender({ mailer: { send: () => new Promise(() => {}) } })
  void dying.send(line.event.id)
  await expect.poll(rows).toEqual([{ arrival: 10, moment: 'TURN', sending: 'SOON', attempts: 1 }])
  await alerts.send(line.event.id)
  expect(mails).toEqual([])
  await line.call(10, 5)
  await alerts.send(line.event.id)
  expect(mails.map(({ id }) => id)).toEqual([`${line.event.id}.10.turn`])
})

test('the alert of a process that died at the last moment is erased', async () => {
  const line = await open(20)
  await line.request(10, { mail: true })
  await line.call(10, 5)
  void sender({ mailer: { send: () => new Promise(() => {}) } }).send(line.event.id)
  await expect.poll(rows).toEqual([{ arrival: 10, moment: null, sending: 'TURN', attempts: 1 }])
  await db.sql("update turn_alerts set send_until = now() - interval '2 minutes'")
  await alerts.send(line.event.id)
  expect([await rows(), mails]).toEqual([[], []])
})

test('a subscription that the push service no longer has, or refuses, is erased', async () => {
  const line = await open(20)
  for (const status of [404, 410, 403]) {
    await line.call(0)
    await line.request(10, { push: testBrowser(key).subscription })
    await line.call(5, 5)
    service.answers = [{ status }]
    await alerts.send(line.event.id)
    expect(await rows()).toEqual([])
  }
})

test('a push service with trouble gets the message again, later and later, as long as it has a use', async () => {
  const line = await open(20)
  await line.request(10, { push: testBrowser(key).subscription })
  await line.call(5, 5)
  const waits: number[] = []
  service.answers = [{ status: 500 }, { status: 503 }, { status: 429, headers: { 'retry-after': '120' } }]
  for (const sent of [1, 2, 3]) {
    await alerts.send(line.event.id)
    expect(service.received).toHaveLength(sent)
    const [{ wait }] = (await db.sql(
      'select extract(epoch from send_at - now())::float8 as wait from turn_alerts',
    )) as [{ wait: number }]
    waits.push(wait)
    // Not before its time.
    await alerts.send(line.event.id)
    expect(service.received).toHaveLength(sent)
    await db.sql('update turn_alerts set send_at = now()')
  }
  expect(waits[0]).toBeLessThan(3)
  expect(waits[1]).toBeLessThan(6)
  expect(waits[2]).toBeGreaterThan(110)
  await alerts.send(line.event.id)
  expect(service.received).toHaveLength(4)
  expect(await rows()).toEqual([{ arrival: 10, moment: 'TURN', sending: null, attempts: 4 }])

  service.answers = [{ status: 500 }]
  await line.call(10, 5)
  await alerts.send(line.event.id)
  await db.sql("update turn_alerts set send_at = now(), send_until = now() - interval '1 second'")
  await alerts.send(line.event.id)
  expect(service.received).toHaveLength(5)
  expect(await rows()).toEqual([])
})

test('a message whose answer is lost or never comes is not sent again', async () => {
  const line = await open(20)
  const impatient = sender({ deadlineMs: 500 })
  for (const answer of ['lost reply', 'silence'] as const) {
    await db.sql('delete from turn_alerts')
    await line.call(0)
    await line.request(10, { push: testBrowser(key).subscription })
    await line.call(5, 5)
    service.received.length = 0
    service.answers = [answer]
    for (let round = 0; round < 2; round++)
      await (answer === 'silence' ? impatient : alerts).send(line.event.id)
    expect(service.received).toHaveLength(1)
    expect(await rows()).toEqual([{ arrival: 10, moment: 'TURN', sending: null, attempts: 1 }])
  }
})

test('after many failures a push service gets no request for a while, and mails go on', async () => {
  const line = await open(40)
  for (let arrival = 1; arrival <= 40; arrival++)
    await line.request(arrival, { mail: true, push: testBrowser(key).subscription })
  service.answers = Array(40).fill({ status: 500 })
  await line.call(40, 5)
  await sender().send(line.event.id)
  expect(service.received.length).toBeLessThan(40)
  expect(mails).toHaveLength(40)
  expect((await rows()).filter(({ sending }) => sending === 'TURN')).toHaveLength(40)
})

test('a mail server that is busy gets the mail again; an address that it refuses for good is erased', async () => {
  const line = await open(20)
  await line.request(10, { mail: true })
  await line.call(5, 5)
  const failing = (error: Error) =>
    sender({ mailer: { send: () => Promise.reject(error) } }).send(line.event.id)
  await failing(Object.assign(new Error('busy'), { responseCode: 451, command: 'DATA' }))
  expect(await rows()).toEqual([{ arrival: 10, moment: 'TURN', sending: 'SOON', attempts: 1 }])
  await db.sql('update turn_alerts set send_at = now()')
  await failing(Object.assign(new Error('the connection ended'), { command: 'DATA' }))
  expect(await rows()).toEqual([{ arrival: 10, moment: 'TURN', sending: null, attempts: 2 }])
  await line.call(10, 5)
  await failing(new MailRefused('no such mailbox'))
  expect(await rows()).toEqual([])
})

test('a fan who leaves is not called, whichever request comes first', async () => {
  const line = await open(30)
  await line.request(1, { mail: true })
  await Promise.all(
    line.fans.map(async (who, i) => {
      const requesting = line.request(i + 1, { mail: true, push: testBrowser(key).subscription })
      await Promise.all([requesting, first.waitingRoom.leave(line.tokens[i] as string, who)])
    }),
  )
  expect(await line.request(1, { mail: true })).toBeInstanceOf(PlaceNotWaiting)
  await line.call(30, 5)
  await alerts.send(line.event.id)
  expect([mails, service.received, await rows()]).toEqual([[], [], []])
})

test('after a move to another device the first device gets no more web push, and the mail comes', async () => {
  const line = await open(20)
  await line.request(10, { mail: true, push: testBrowser(key).subscription })
  const tablet = { ...(line.fans[9] as TestFan), deviceId: 'tablet' }
  await first.waitingRoom.join(tablet, { eventId: line.event.id, moveHere: true })
  await line.call(5, 5)
  await alerts.send(line.event.id)
  expect([mails.length, service.received.length]).toEqual([1, 0])
  await expect(line.request(10, { mail: true })).rejects.toMatchObject({ code: 'QUEUE_TOKEN_INVALID' })
})

test('a fan who is on the page at the turn gets no message about it', async () => {
  const line = await open(20)
  await line.request(10, { mail: true })
  await line.call(10, 5)
  await first.waitingRoom.position(line.tokens[9] as string, line.fans[9] as TestFan)
  await alerts.send(line.event.id)
  expect([mails, await rows()]).toEqual([[], []])
})

test('a place has web push to three browsers at most, and ends all alerts at once', async () => {
  const line = await open(20)
  const browsers = Array.from({ length: 5 }, () => testBrowser(key))
  for (const { subscription } of browsers) await line.request(10, { push: subscription })
  const again = await line.request(10, { mail: true, push: browsers[4]?.subscription })
  expect(again).toMatchObject({ mail: true, browsers: 3 })
  const kept = await db.sql<{ endpoint: string }>(
    "select push ->> 'endpoint' as endpoint from turn_alerts where push is not null",
  )
  expect(kept.map(({ endpoint }) => endpoint).sort()).toEqual(
    browsers
      .slice(2)
      .map(({ subscription }) => subscription.endpoint)
      .sort(),
  )
  const who = line.fans[9] as TestFan
  expect(await first.turnAlerts.end(who, line.tokens[9] as string)).toMatchObject({
    mail: false,
    browsers: 0,
  })
  expect(await rows()).toEqual([])
})

test('a fan who asks within the last five minutes is called at the turn alone, however often the fan asks', async () => {
  const line = await open(20)
  await line.call(5, 5)
  for (let time = 0; time < 3; time++) {
    await line.request(10, { mail: true })
    await alerts.send(line.event.id)
    await first.turnAlerts.end(line.fans[9] as TestFan, line.tokens[9] as string)
  }
  expect(mails).toEqual([])
})

test('alerts from before the draw get their places with it', async () => {
  const line = await open(20)
  await line.request(10, { mail: true })
  await db.sql('update turn_alerts set place = null')
  await line.call(10, 5)
  await alerts.send(line.event.id)
  expect(mails).toHaveLength(1)
})

test('every fan who asked is called when the waiting room is turned off; all alerts end with the sale', async () => {
  const line = await open(20)
  for (const arrival of [3, 10, 20]) await line.request(arrival, { mail: true })
  await db.sql('update sales set waiting_room = false where event_id = $1', [line.event.id])
  await first.sales.refresh(line.event.id)
  await alerts.send(line.event.id)
  expect(mails).toHaveLength(3)

  const ended = await open(20)
  await ended.request(10, { mail: true, push: testBrowser(key).subscription })
  await db.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [ended.event.id])
  await first.sales.refresh(ended.event.id)
  await alerts.send(ended.event.id)
  expect([await rows(), mails.length]).toEqual([[], 3])
})

test('a place that was called, an address that is not verified, and a subscription that no browser has are refused', async () => {
  const line = await open(20)
  await line.call(5, 5)
  expect(await line.request(5, { mail: true })).toBeInstanceOf(PlaceNotWaiting)
  const who = line.fans[9] as TestFan
  const unverified = { ...who.account, emailVerified: false }
  const queueToken = line.tokens[9] as string
  const { subscription } = testBrowser(key)
  expect(await first.turnAlerts.request(unverified, who, { queueToken, mail: true })).toBeInstanceOf(
    AccountNotVerified,
  )
  for (const [field, value] of Object.entries({
    endpoint: 'https://10.0.0.1/push',
    p256dh: Buffer.alloc(65, 4).toString('base64url'),
    auth: 'short',
    key: testBrowser(key).subscription.p256dh,
  }))
    await expect(line.request(10, { push: { ...subscription, [field]: value } })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(`input.push.${field}`),
    })
  await expect(line.request(10, { locale: 'german, please' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  })
  const other = line.fans[8] as TestFan
  await expect(
    first.turnAlerts.request(other.account, other, { queueToken, mail: true }),
  ).rejects.toMatchObject({
    code: 'QUEUE_TOKEN_INVALID',
  })
  expect([await rows(), await takeAlerts(db, line.event.id, 10)]).toEqual([[], []])
})
