import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { solveAltcha } from '../../clients/sdk/index.ts'
import { freePort } from '../../embedded/processes.ts'
import { makeKeys } from '../../src/keys.ts'
import { QUEUE_PREFIX } from '../../src/redis/keys.ts'
import { writeKeys } from '../support/apiProcess.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { type Json, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { until } from '../support/jobs.ts'
import { mailServer } from '../support/mailServerWithPassword.ts'
import { testRedis } from '../support/redis.ts'

/*
 * Plants marked secrets, uses them with success, with mistakes and while both stores fail, and then looks for them in
 * everything that the processes wrote. The log is at its most talkative level.
 */

/** Each secret and where it may be kept; no other place may have it. */
const secrets = new Map<string, { value: string; kept?: readonly string[] }>()
const plant = (name: string, value: string, kept?: readonly string[]) => {
  secrets.set(name, { value, ...(kept && { kept }) })
  return value
}
const mark = () => `mark${randomUUID().replaceAll('-', '')}`

const db = await testDatabase()
const redis = await testRedis()
const smtp = await mailServer()
const smtpPassword = plant('password of the mail server', mark())
const keys = await makeKeys()
for (const [ring, [key]] of Object.entries(keys) as [string, Json[]][]) plant(`key ${ring}`, key.k ?? key.d)

/** A role of this file's own, whose password this file may change. */
const role = `secrets_${randomUUID().slice(0, 8)}`
const databaseUrl = new URL(db.url)
databaseUrl.username = role
databaseUrl.password = plant('password of the database', mark())
cleanUp(() => db.sql(`drop role ${role}`))
await db.sql(`create role ${role} login superuser password '${databaseUrl.password}'`)
const redisUrl = new URL(redis.url)
redisUrl.username = role
redisUrl.password = plant('password of Redis', mark())
const ops = new Redis(redis.url)
await ops.call('ACL', 'SETUSER', role, 'on', `>${redisUrl.password}`, '~*', '&*', '+@all')

/** Every command that Redis receives, with its values, and every message. */
let commands = ''
/** The command that ends the planting. */
const PLANTED = 'planted'
/** True while this file itself puts secrets into Redis. */
let isPlanting = false
const monitor = await ops.monitor()
monitor.on('monitor', (_time: string, args: string[]) => {
  if (args[1] === PLANTED) isPlanting = false
  if (!isPlanting && !/^acl$/i.test(args[0] ?? '')) commands += `${args.join(' ')}\n`
})

let logs = ''
const workerPort = await freePort()
function start(script: string) {
  const child = fork(fileURLToPath(new URL(`../../src/${script}`, import.meta.url)), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      EMBEDDED: 'true',
      DATABASE_URL: databaseUrl.href,
      REDIS_URL: redisUrl.href,
      KEYS_FILE: keysFile,
      SMTP_URL: `smtp://sender:${smtpPassword}@127.0.0.1:${smtp.port}`,
      PORT: '0',
      WORKER_PORT: String(workerPort),
      LOG_LEVEL: 'trace',
    },
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      logs += chunk
    })
  const exited = once(child, 'exit')
  cleanUp(async () => {
    child.kill('SIGKILL')
    await exited
  })
}
const keysFile = await writeKeys(keys)
start('main.ts')
start('worker.ts')
cleanUp(async () => {
  monitor.disconnect()
  ops.disconnect()
})

const JOIN = `mutation ($event: ID!, $challenge: String) { joinQueue(input: { eventId: $event, challenge: $challenge }) {
  __typename ... on QueuePosition { queueToken } } }`
const GUARDED = `mutation ($event: ID!) { joinQueue(input: { eventId: $event }) {
  ... on ChallengeRequired { challenge } } }`
const POSITION = 'query ($token: String!) { queuePosition(queueToken: $token) { state admission { token } } }'
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename ... on Order { id state
  tickets { barcode } } } }`
const BLOCK = `mutation ($input: BlockSeatsInput!) { blockSeats(input: $input) { __typename } }`
const WAITLIST = `mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) { __typename } }`

const answers: string[] = []

test('no secret leaves the place where it is kept: not in logs, Redis, tables, metrics, pages and mails', async () => {
  const addressOf = () =>
    [...logs.matchAll(/"url":"(http:\/\/[^"]+)","msg":"listening"/g)].map(([, url]) => url as string)
  await until(() => addressOf().length === 2, 'both processes')
  const url = addressOf().find((address) => !address.endsWith(`:${workerPort}`)) as string
  const { ask, token: tokenOf, socket } = testClient(url)
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 8 }] })

  const guarded = await insertEvent(db, {
    waitingRoom: true,
    opensInSeconds: 3_600,
    preQueueOpensInSeconds: -60,
  })
  await db.sql(`update sales set challenge = 'ALWAYS' where event_id = $1`, [guarded.id])

  const email = plant('e-mail', `${mark()}@example.com`, ['orders', 'waitlist_entries', 'mails'])
  const token = plant('account token', await tokenOf('ana', { email }))
  const device = plant('device id', mark())
  const challenge = plant('challenge answer', mark())
  const card = plant('card token', `pm_${mark()}`, ['orders', 'sandbox_payments'])
  const fan = { token, device }
  // A challenge that is solved.
  const asked = await ask(GUARDED, { event: guarded.id }, fan)
  const solution = plant('solved challenge', (await solveAltcha(asked.data.joinQueue.challenge)) as string)
  const entered = await ask(JOIN, { event: guarded.id, challenge: solution }, fan)
  plant('queue token of a solved challenge', entered.data.joinQueue.queueToken)

  // An offer of the waitlist, whose mail the server takes at the third attempt only.
  const small = await insertEvent(db, { sections: [{ seats: 2 }], owner: 'olga' })
  const olga = { token: plant('token of an organizer', await tokenOf('olga', { roles: ['organizer'] })) }
  const blocked = { input: { eventId: small.id, seats: [small.seatId(2)], reason: 'a camera' } }
  const everySeat = { eventId: small.id, selection: { seats: [small.seatId(1)] }, idempotencyKey: mark() }
  await ask(BLOCK, blocked, olga)
  const last = await ask(HOLD, { input: everySeat }, fan)
  const pays = { holdId: last.data.hold.id, paymentMethod: card, idempotencyKey: mark() }
  await ask(CHECKOUT, { input: pays }, fan)
  smtp.refusals.push(
    { to: 'AUTH', answer: '535 5.7.8 Error: authentication failed' },
    { to: 'RCPT', answer: `450 4.2.1 <${email}>: mailbox is busy` },
  )
  await until(async () => {
    const { data } = await ask(WAITLIST, { input: { eventId: small.id, quantity: 1 } }, fan)
    return data?.joinWaitlist.__typename === 'WaitlistEntry'
  }, 'the entry of the waitlist')
  await ask(BLOCK.replaceAll('blockSeats', 'unblockSeats'), blocked, olga)

  const joined = await ask(JOIN, { event: event.id, challenge }, fan)
  const queueToken = plant('queue token', joined.data.joinQueue.queueToken)
  let admission = ''
  await until(async () => {
    const { data } = await ask(POSITION, { token: queueToken }, fan)
    admission = data?.queuePosition.admission?.token ?? ''
    return admission !== ''
  }, 'the admission')
  plant('admission token', admission)
  const inside = { ...fan, admission }
  const hold = async (seats: number[]) =>
    ask(
      HOLD,
      { input: { eventId: event.id, selection: { seats: seats.map(event.seatId) }, idempotencyKey: mark() } },
      inside,
    )
  const pay = (holdId: string) =>
    ask(CHECKOUT, { input: { holdId, paymentMethod: card, idempotencyKey: mark() } }, inside)
  const bought = await pay((await hold([1, 2])).data.hold.id)
  expect(bought.data.checkout).toMatchObject({ state: 'CONFIRMED' })
  let codes: string[] = []
  await until(async () => {
    const { data } = await ask(
      'query ($id: ID!) { order(id: $id) { tickets { barcode } } }',
      { id: bought.data.checkout.id },
      fan,
    )
    codes = data.order.tickets.map(({ barcode }: { barcode: string }) => barcode)
    return codes.every((code) => code !== null)
  }, 'the capture')
  for (const [i, code] of codes.entries()) plant(`barcode ${i}`, code)
  const { data: second } = await hold([3])

  /** Uses every secret as it should be used, and in places where it is a mistake. */
  const useAll = async () => {
    const uses: Promise<unknown>[] = [
      ask(JOIN, { event: event.id, challenge }, fan),
      ask(POSITION, { token: queueToken }, fan),
      hold([4]),
      pay(second.hold.id),
      ask(WAITLIST, { input: { eventId: event.id, quantity: 1 } }, inside),
      ask('{ viewer { accountId email orders { edges { node { tickets { barcode } } } } } }', {}, inside),
    ]
    for (const { value } of [...secrets.values()]) {
      const literal = JSON.stringify(value)
      uses.push(
        ask(`{ queuePosition(queueToken: ${literal}) { state } }`, {}, fan),
        ask(
          `{ ${value.replaceAll(/\W/g, '')}: event(id: ${literal}) { id } node(id: ${literal}) { id } }`,
          {},
          inside,
        ),
        ask(`mutation { hold(input: ${literal}) { __typename }`, {}, inside),
        ask(
          `{ event(id: "x") { name } } # ${value} }`,
          {},
          { token: value, device: value, admission: value },
        ),
        fetch(`${url}/e/${encodeURIComponent(value.slice(0, 90))}?secret=${encodeURIComponent(value)}`),
        fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${value}` },
          body: value,
        }),
      )
    }
    await Promise.allSettled(uses)
    // An event that demands the challenge: the answer is wrong, and is looked at.
    await ask(JOIN, { event: guarded.id, challenge }, fan)
    const client = socket({
      authorization: `Bearer ${token}`,
      'Device-Id': device,
      'Admission-Token': admission,
    })
    const following = client.iterate({
      query: `subscription { queuePosition(queueToken: ${JSON.stringify(queueToken)}) { state } }`,
    })
    await Promise.race([following.next().catch(() => {}), sleep(500)])
    await client.dispose()
  }
  // A mail of an offer whose data are wrong fails for good: the dead letter has the job's data and the error.
  const queue = new Queue('mailOffer', { connection: { url: redis.url }, prefix: QUEUE_PREFIX })
  const junk = { email, paymentMethod: card, nested: { token, deviceId: device, url: databaseUrl.href } }
  isPlanting = true
  await queue.add('mailOffer', junk, { attempts: 1 })
  await queue.close()
  // The monitor reports commands late on a busy machine: what comes before this one was planted.
  await ops.echo(PLANTED)
  await until(() => !isPlanting, 'the monitor to report the planted job')
  await until(async () => (await db.sql('select from dead_letters')).length > 0, 'the dead letter')
  await useAll()

  const look = async () => {
    for (const path of [
      '/metrics',
      '/readyz',
      '/healthz',
      `/e/${event.slug}`,
      `/events/${event.id}/waiting-room.json`,
    ])
      answers.push(await (await fetch(`${url}${path}`)).text())
    for (const path of ['/metrics', '/readyz'])
      answers.push(await (await fetch(`http://127.0.0.1:${workerPort}${path}`)).text())
    // The errors that another caller gets.
    answers.push(JSON.stringify(await ask(JOIN, { event: event.id }, { token: await tokenOf('bob') })))
    answers.push(
      JSON.stringify(await ask('{ viewer { orders { edges { cursor } } } }', {}, { token: await tokenOf() })),
    )
  }
  await look()

  await until(() => smtp.mails.length > 0, 'the mail of the offer')
  expect(smtp.mails[0]).toContain(`To: ${email}`)
  expect(logs).toContain('Invalid login')

  // Every statement about holds, orders and the waitlist fails.
  const broken = ['holds', 'orders', 'waitlist_entries']
  for (const table of broken) await db.sql(`alter table ${table} rename to ${table}_away`)
  await useAll()
  await look()
  for (const table of broken) await db.sql(`alter table ${table}_away rename to ${table}`)
  expect(logs).toContain('an operation failed')

  // Both stores refuse the passwords, as after a rotation that missed these processes.
  await ops.call('ACL', 'SETUSER', role, 'resetpass', `>${mark()}`)
  await ops.call('CLIENT', 'KILL', 'USER', role)
  await until(() => /WRONGPASS/.test(logs), 'a refused password of Redis')
  await useAll()
  await look()
  await ops.call('ACL', 'SETUSER', role, `>${redisUrl.password}`)
  await db.sql(`alter role ${role} password '${mark()}'`)
  await db.sql('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role])
  await until(() => /password authentication failed/.test(logs), 'a refused password of the database')
  await useAll()
  await look()

  expect(smtp.credentials.map((text) => Buffer.from(text, 'base64').toString())).toContain(
    `\0sender\0${smtpPassword}`,
  )
  const places: Record<string, string> = {
    logs,
    'commands of Redis': commands,
    'answers to other callers': answers.join('\n'),
    mails: smtp.mails.join('\n'),
  }
  const tables = await db.sql(`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`)
  for (const { name } of tables) {
    const rows = await db.sql(`select t::text as row from "${name}" t`)
    places[name as string] = rows.map(({ row }) => row).join('\n')
  }
  const found = [...secrets].flatMap(([secret, { value, kept = [] }]) =>
    Object.entries(places)
      .filter(([place, text]) => !kept.includes(place) && formsOf(value).some((form) => text.includes(form)))
      .map(([place]) => `${secret}: ${place}`),
  )
  expect(found).toEqual([])
}, 120_000)

/** A secret as it is, in an address, in base64 and in hex. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  return [value, encodeURIComponent(value), bytes.toString('base64url'), bytes.toString('hex')]
}
