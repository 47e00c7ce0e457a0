import { randomUUID } from 'node:crypto'
import pino from 'pino'
import PostalMime from 'postal-mime'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningJobs, startJobs } from '../../../src/jobs/index.ts'
import { sendMail } from '../../../src/jobs/mails/sendMail.ts'
import { createMailer } from '../../../src/mail.ts'
import { createLetters } from '../../../src/sale/letters/letters.ts'
import { createAlertSender } from '../../../src/sale/turnAlerts/alertSender.ts'
import { MAIL_KINDS } from '../../../src/sql/mails.ts'
import { testAccount } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, isHold } from '../../support/holds.ts'
import { QUICK, testJobApp, until } from '../../support/jobs.ts'
import { mailServer } from '../../support/mailServer.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
const another = await testJobApp(db.url, redis.url)
const server = await mailServer()
const event = await insertEvent(db)
const running: RunningJobs[] = []
afterEach(async () => {
  for (const jobs of running.splice(0)) await jobs.close(5_000)
})
afterAll(() => Promise.all([app.close(), another.close()]))
beforeEach(async () => {
  for (const table of ['mails', 'dead_letters']) await db.sql(`delete from ${table}`)
  server.mails.length = 0
  server.answers = {}
})

async function work() {
  for (const parts of [app, another]) {
    const from = 'Fairgate <tickets@example.com>'
    const mailer = createMailer({
      smtpUrl: server.url,
      folder: null,
      from,
      log: pino({ enabled: false }),
    })
    const letters = createLetters({
      ...parts,
      mailer,
      publicUrl: 'https://tickets.example.com',
      attach: parts.documents.attachment,
    })
    const alertSender = createAlertSender({
      ...parts,
      mailer,
      push: { send: async () => ({ state: 'sent' }) },
      publicUrl: 'https://tickets.example.com',
    })
    running.push(await startJobs({ ...parts, letters, alertSender }, { timings: QUICK }))
  }
}

async function buy(seatNo: number) {
  const account = testAccount()
  const hold = await ask(app.holds, account, event, [seatNo])
  if (!isHold(hold)) throw new Error('no hold')
  const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
  await app.checkout.checkout(account, input)
  return account
}

const ended = async (count: number) =>
  (await db.sql('select from mails where ended_at is not null')).length === count

test('two worker processes send each order one mail, with its tickets', async () => {
  const accounts = [await buy(1), await buy(2), await buy(3)]
  await work()
  await until(() => ended(3), 'the mails')
  const mails = await Promise.all(server.mails.map((mail) => PostalMime.parse(mail)))
  expect(mails.map(({ to }) => to?.[0]?.address).sort()).toEqual(accounts.map(({ email }) => email).sort())
  for (const { attachments, subject, text } of mails) {
    expect(subject).toBe('Your ticket for Test concert')
    expect(text).toContain(`/e/${event.slug}?order=ord_`)
    const [tickets] = attachments
    expect(Buffer.from(tickets?.content as ArrayBuffer).subarray(0, 5)).toEqual(Buffer.from('%PDF-'))
  }
})

test('two worker processes call each fan in the line who asked, once', async () => {
  const line = await insertEvent(db, { waitingRoom: true, rate: 10 })
  const fans = Array.from({ length: 5 }, () => fan())
  const tokens = await fillLine(app, line.id, fans)
  for (const [i, who] of fans.entries())
    await app.turnAlerts.request(who.account, who, { queueToken: tokens[i] as string, mail: true })
  await work()
  await until(async () => (await db.sql('select from turn_alerts')).length === 0, 'the alerts')
  const mails = await Promise.all(server.mails.map((mail) => PostalMime.parse(mail)))
  expect(mails.map(({ to, subject }) => [to?.[0]?.address, subject]).sort()).toEqual(
    fans.map(({ account }) => [account.email, 'It is your turn: Test concert']).sort(),
  )
})

test('the job sends every kind of mail that an order can have', () => {
  for (const kind of MAIL_KINDS)
    expect(sendMail.read({ orderId: 'ord_1', kind, occasion: 'rfd_1' }).subject).toBe(`ord_1.${kind}.rfd_1`)
})

test('an address that bounces for good is a dead letter at once, after one attempt', async () => {
  server.answers = { RCPT: ['550 no such mailbox'] }
  server.received.length = 0
  await buy(4)
  await work()
  await until(async () => (await db.sql('select from dead_letters')).length > 0, 'the dead letter')
  expect(await db.sql("select queue, attempts, data ->> 'kind' as kind from dead_letters")).toEqual([
    { queue: 'sendMail', attempts: 1, kind: 'CONFIRMED' },
  ])
  expect(await db.sql("select outcome from mails where outcome <> 'SENT'")).toEqual([{ outcome: 'REFUSED' }])
  expect(server.received.filter((line) => line.startsWith('RCPT'))).toHaveLength(1)
})
