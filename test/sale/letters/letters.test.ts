import { randomUUID } from 'node:crypto'
import pino from 'pino'
import PostalMime from 'postal-mime'
import { beforeEach, expect, test } from 'vitest'
import { createMailer, type Mail, type Mailer, MailRefused } from '../../../src/mail.ts'
import { createLetters } from '../../../src/sale/letters/letters.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import type { MailKey } from '../../../src/sql/mails.ts'
import { emitDueMails, takeMail } from '../../../src/sql/mails.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { mailServer } from '../../support/mailServer.ts'

const db = await testDatabase()
const sale = testCheckout(db)
const event = await insertEvent(db, { sections: [{ seats: 40 }, { places: 10 }] })
const sent: Mail[] = []

function lettersBy(mailer: Mailer) {
  return createLetters({
    db,
    catalogue: sale.catalogue,
    orders: sale.orders,
    mailer,
    publicUrl: 'https://tickets.example.com',
    attach: async (order) => ({
      filename: 'tickets.pdf',
      contentType: 'application/pdf',
      content: Buffer.from(order.id),
    }),
  })
}
const letters = lettersBy({ send: async (mail) => void sent.push(mail) })

beforeEach(async () => {
  sent.length = 0
  await db.sql('delete from mails')
  await db.sql('delete from outbox')
})

let nextSeat = 1
async function buy(account = testAccount(), input: { email?: string; locale?: string } = {}) {
  const hold = await sale.hold(account, event, [nextSeat++])
  const result = await sale.checkout(account, {
    holdId: hold.id,
    paymentMethod: 'pm_card_visa',
    idempotencyKey: randomUUID(),
    ...input,
  })
  if (!('tickets' in result)) throw new Error(`no order: ${result.constructor.name}`)
  return result as OrderView
}

const written = () =>
  db.sql<{ kind: string; occasion: string; outcome: string | null }>(
    'select kind, occasion, outcome from mails order by written_at, kind',
  )
const keyOf = (orderId: string, kind: MailKey['kind'], occasion = ''): MailKey => ({
  orderId,
  kind,
  occasion,
})

test('the mail with the tickets is written once, when the money is captured, and sent once', async () => {
  const ana = testAccount()
  const order = await buy(ana)
  expect(await written()).toEqual([])
  await workOutbox(db, sale)
  await sale.capture(order.id)
  expect(await written()).toEqual([{ kind: 'CONFIRMED', occasion: '', outcome: null }])

  expect(await letters.emitDue()).toBe(1)
  expect(await db.sql('select job, data from outbox')).toEqual([
    { job: 'sendMail', data: keyOf(order.id, 'CONFIRMED') },
  ])
  expect(await letters.emitDue()).toBe(0)
  const key = keyOf(order.id, 'CONFIRMED')
  expect(await letters.send(key)).toBe('ended')
  expect(await letters.send(key)).toBe('ended')
  expect(sent).toEqual([
    {
      to: ana.email,
      subject: 'Your ticket for Test concert',
      text: expect.stringContaining(`https://tickets.example.com/e/${event.slug}?order=${order.id}`),
      html: expect.stringContaining('<html lang="en" dir="ltr">'),
      language: 'en',
      id: `${order.id}.confirmed`,
      attachments: [expect.objectContaining({ content: Buffer.from(order.id) })],
    },
  ])
  expect(await written()).toEqual([{ kind: 'CONFIRMED', occasion: '', outcome: 'SENT' }])
})

test('ten runs at once send a mail once', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  const key = keyOf(order.id, 'CONFIRMED')
  const answers = await Promise.all(Array.from({ length: 10 }, () => letters.send(key)))
  expect(sent).toHaveLength(1)
  expect(answers.filter((answer) => answer === 'ended').length).toBeGreaterThan(0)
})

test('a mail whose process died while it was sending is sent again', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  const key = keyOf(order.id, 'CONFIRMED')
  await takeMail(db, event.id, key)
  expect(await letters.send(key)).toBe('taken')
  await db.sql("update mails set taken_to = now() - interval '1 second'")
  expect(await letters.send(key)).toBe('ended')
  expect(sent).toHaveLength(1)
})

test('a mail whose job Redis has lost is emitted again; one with a dead letter waits for ops', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  expect(await emitDueMails(db, 10)).toBe(1)
  await db.sql('update mails set due_at = now()')
  expect(await emitDueMails(db, 10)).toBe(1)
  await db.sql(
    `insert into dead_letters (id, queue, job, job_id, data, error, attempts)
     values ('dl_1', 'sendMail', 'sendMail', 'ob-1', $1, 'away', 12)`,
    [JSON.stringify(keyOf(order.id, 'CONFIRMED'))],
  )
  await db.sql('update mails set due_at = now()')
  expect(await emitDueMails(db, 10)).toBe(0)
  await db.sql('delete from dead_letters')
})

test('a mail goes to the address given at checkout, in the language given there', async () => {
  const ana = testAccount()
  const order = await buy(ana, { email: 'gift@example.com', locale: 'de-AT' })
  await workOutbox(db, sale)
  await letters.send(keyOf(order.id, 'CONFIRMED'))
  expect(sent[0]).toMatchObject({
    to: 'gift@example.com',
    language: 'de-AT',
    subject: 'Dein Ticket für Test concert',
  })
  expect(sent[0]?.html).toContain('<html lang="de-AT" dir="ltr">')
})

test('an order without an address gets no mail; a language that is no tag is refused', async () => {
  await buy({ ...testAccount(), email: null })
  await workOutbox(db, sale)
  expect(await written()).toEqual([])
  await expect(buy(testAccount(), { locale: 'german, please' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: expect.stringContaining('input.locale: must be a BCP 47 tag'),
  })
})

test('a fan whose seats were gone gets a mail about it', async () => {
  const [ana, bob] = [testAccount(), testAccount()]
  const seat = nextSeat++
  const stuck = testCheckout(db, {
    wrap: (provider) => ({
      ...provider,
      async confirm(request) {
        await runOut(db, hold)
        await sale.hold(bob, event, [seat])
        return provider.confirm(request)
      },
    }),
  })
  const hold = await stuck.hold(ana, event, [seat])
  await stuck.pay(ana, hold)
  expect(await written()).toEqual([{ kind: 'SEATS_GONE', occasion: '', outcome: null }])
  const [{ id }] = (await db.sql('select id from orders where account_id = $1', [ana.id])) as [{ id: string }]
  await letters.send(keyOf(id, 'SEATS_GONE'))
  expect(sent[0]?.subject).toBe('No tickets for Test concert: the seats were gone')
  expect(sent[0]?.text).toContain('€54.50')
})

test('the mail to a buyer who did not finish the payment does not blame another fan', async () => {
  const ana = testAccount()
  const order = (await sale.pay(
    ana,
    await sale.hold(ana, event, [nextSeat++]),
    'pm_needs_action',
  )) as OrderView
  await db.sql(`update orders set pay_until = now() where id = $1`, [order.id])
  await sale.settle(order.id)
  expect(await written()).toEqual([{ kind: 'SEATS_GONE', occasion: '', outcome: null }])
  await letters.send(keyOf(order.id, 'SEATS_GONE'))
  expect(sent[0]?.text).toContain('Your payment was not approved in time')
  expect(sent[0]?.text).not.toContain('another fan')
})

test('a fan whose order is cancelled before its capture gets a mail about it, and no tickets', async () => {
  const refusing = testCheckout(db, {
    wrap: (provider) => ({ ...provider, capture: async () => ({ outcome: 'refused', reason: 'lapsed' }) }),
  })
  const order = await buy()
  await refusing.capture(order.id)
  expect(await written()).toEqual([{ kind: 'CANCELLED', occasion: '', outcome: null }])
  await letters.send(keyOf(order.id, 'CANCELLED'))
  expect(sent[0]).toMatchObject({ subject: 'Your order for Test concert is cancelled', attachments: [] })
})

test('a free order has its tickets at once, and the mail about its end does not mention money', async () => {
  const free = await insertEvent(db, { price: 0n, fee: 0n })
  const ana = testAccount()
  const order = (await sale.pay(ana, await sale.hold(ana, free, [1]))) as OrderView
  expect(await written()).toEqual([{ kind: 'CONFIRMED', occasion: '', outcome: null }])
  await db.sql("update orders set state = 'CANCELLED' where id = $1", [order.id])
  await letters.send(keyOf(order.id, 'CANCELLED'))
  expect(sent[0]?.text).toContain('Your order is cancelled. Its tickets are no longer valid')
  expect(sent[0]?.text).not.toContain('reservation')
})

test('tickets that were cancelled before their mail was sent are not sent', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  await db.sql(
    "update orders set state = 'CANCELLED', payment = 'REFUNDED', refunded = amount where id = $1",
    [order.id],
  )
  expect(await letters.send(keyOf(order.id, 'CONFIRMED'))).toBe('ended')
  expect(sent).toEqual([])
  expect(await written()).toContainEqual({ kind: 'CONFIRMED', occasion: '', outcome: 'OVERTAKEN' })
})

test('each refund has one mail, with the amount that it returned', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  await db.sql('delete from mails')
  const refund = (sum: number, payment: string, state: string) =>
    db.sql('update orders set refunded = $1, payment = $2, state = $3 where id = $4', [
      sum,
      payment,
      state,
      order.id,
    ])
  await refund(1_000, 'PARTIALLY_REFUNDED', 'CONFIRMED')
  await refund(1_000, 'PARTIALLY_REFUNDED', 'CONFIRMED')
  await refund(5_450, 'REFUNDED', 'CANCELLED')
  expect(await written()).toMatchObject([{ occasion: '1000' }, { occasion: '5450' }])
  await letters.send(keyOf(order.id, 'REFUNDED', '1000'))
  await letters.send(keyOf(order.id, 'REFUNDED', '5450'))
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Refund of €10.00 for Test concert',
    'Refund of €44.50 for Test concert',
  ])
  expect(sent[1]?.text).toContain('Your whole order is refunded')
})

test('a fan hears of a refund when the order owes it, and again when the money is back', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  await db.sql('delete from mails')
  await db.sql(`select refund_order($1, $2, null, 'k', 'hash', 'called off', 'rfd_one')`, [
    event.id,
    order.id,
  ])
  expect(await written()).toEqual([{ kind: 'REFUND_OWED', occasion: 'rfd_one', outcome: null }])
  await letters.send(keyOf(order.id, 'REFUND_OWED', 'rfd_one'))
  expect(sent.map(({ subject }) => subject)).toEqual(['Your refund of €54.50 for Test concert has begun'])
  expect(sent[0]?.text).toContain('its tickets are no longer valid')
  await db.sql(`select finish_refund($1, 'rfd_one', 're_1')`, [event.id])
  expect(await written()).toContainEqual({ kind: 'REFUNDED', occasion: '5450', outcome: null })
})

test('where the money is back at once, the fan gets the mail of the refund alone', async () => {
  const order = await buy()
  await workOutbox(db, sale)
  await db.sql(`select refund_order($1, $2, null, 'k', 'hash', 'called off', 'rfd_two')`, [
    event.id,
    order.id,
  ])
  await db.sql(`select finish_refund($1, 'rfd_two', 're_2')`, [event.id])
  await letters.send(keyOf(order.id, 'REFUND_OWED', 'rfd_two'))
  expect(sent).toEqual([])
  expect(await written()).toContainEqual({ kind: 'REFUND_OWED', occasion: 'rfd_two', outcome: 'OVERTAKEN' })
})

test('an address that bounces for good ends its mail; a server that is busy keeps it', async () => {
  const server = await mailServer({ RCPT: ['450 later', '550 no such mailbox', '250 well'] })
  const real = lettersBy(
    createMailer({
      smtpUrl: server.url,
      folder: null,
      from: 'tickets@example.com',
      log: pino({ enabled: false }),
    }),
  )
  const order = await buy()
  await workOutbox(db, sale)
  const key = keyOf(order.id, 'CONFIRMED')
  await expect(real.send(key)).rejects.toThrow('450')
  expect(await written()).toEqual([{ kind: 'CONFIRMED', occasion: '', outcome: null }])
  await expect(real.send(key)).rejects.toBeInstanceOf(MailRefused)
  expect(await written()).toEqual([{ kind: 'CONFIRMED', occasion: '', outcome: 'REFUSED' }])
  await db.sql('update mails set due_at = now()')
  expect(await real.emitDue()).toBe(0)
  // Ops corrected the address, and replay the dead letter.
  await real.send(key)
  expect(await written()).toEqual([{ kind: 'CONFIRMED', occasion: '', outcome: 'SENT' }])
  const parsed = await PostalMime.parse(server.mails[0] as string)
  expect(parsed.attachments).toMatchObject([{ filename: 'tickets.pdf', mimeType: 'application/pdf' }])
})
