import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import type { KeysFile } from '../../src/keys.ts'
import { apiProcesses, writeKeys } from '../support/apiProcess.ts'
import { type Json, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { testRedis } from '../support/redis.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/keys.ts', import.meta.url))

const db = await testDatabase()
const redis = await testRedis()
const start = await apiProcesses(db.url, redis.url)
// A new file reaches two machines at different moments.
const files = [await writeKeys(), await writeKeys()] as const
copyFileSync(files[0], files[1])
const apis = await Promise.all(
  files.map(async (keysFile) => {
    const { url } = await start({ keysFile })
    return { ...testClient(url), url, keysFile }
  }),
)
type Api = (typeof apis)[number]
const [first, second] = apis as [Api, Api]
const event = await insertEvent(db, { waitingRoom: true, rate: 1_000, sections: [{ seats: 4_000 }] })

const JOIN = `mutation ($input: JoinQueueInput!) { joinQueue(input: $input) { ... on QueuePosition { queueToken } } }`
const POSITION = `query ($token: String!) { queuePosition(queueToken: $token) { state admission { token } } }`
const MAP = `query ($id: ID!) { event(id: $id) { sections { availability { version } } } }`

const kids = ({ keysFile }: Api) =>
  (JSON.parse(readFileSync(keysFile, 'utf8')) as KeysFile).tokens.map(({ kid }) => kid)
const keys = (verb: string, { keysFile }: Api) =>
  execFileSync(process.execPath, [SCRIPT, verb, keysFile, 'tokens'], { stdio: 'pipe' })

/** A running process reads a changed file within a second. */
const KNOWN_MS = 1_500

let named = 0
/** Each with their own device: the number of joins from one device is limited. */
const fan = async () => ({ token: await first.token(`ana ${++named}`), device: `phone ${named}` })
type Fan = Awaited<ReturnType<typeof fan>>

async function join(api: Api, who: Fan): Promise<string> {
  const { data } = await api.ask(JOIN, { input: { eventId: event.id } }, who)
  return data.joinQueue.queueToken
}

/** Calls the fan and returns the admission token. */
async function letIn(api: Api, who: Fan, queueToken: string): Promise<string> {
  await db.sql(`update rooms set admitted_up_to = 1000, tick = tick + 1 where event_id = $1`, [event.id])
  await db.sql(
    `insert into calls (event_id, tick, at, admitted_up_to, worked) values ($1, 1, now(), 1000, 1)
     on conflict do nothing`,
    [event.id],
  )
  let position: Json
  await expect
    .poll(
      async () => (position = (await api.ask(POSITION, { token: queueToken }, who)).data?.queuePosition),
      {
        timeout: 5_000,
      },
    )
    .toMatchObject({ state: 'ADMITTED' })
  return position.admission.token
}

const signerOf = (token: string) => decodeProtectedHeader(token).kid

interface Held {
  who: Fan
  queueToken: string
  admission: string
}

/** A new fan with an admission. */
async function newcomer(api: Api): Promise<Held> {
  const who = await fan()
  const queueToken = await join(api, who)
  return { who, queueToken, admission: await letIn(api, who, queueToken) }
}

async function isGood(
  api: Api,
  { who, queueToken, admission }: Held,
): Promise<[place: boolean, key: boolean]> {
  const position = await api.ask(POSITION, { token: queueToken }, who)
  const map = await api.ask(MAP, { id: event.id }, { ...who, admission })
  for (const { errors } of [position, map])
    for (const { extensions } of errors ?? [])
      expect(['QUEUE_TOKEN_INVALID', 'ADMISSION_REQUIRED']).toContain(extensions.code)
  return [!position.errors, !map.errors]
}

/** Waits until the process has read the file and `look` returns what is expected. */
const known = (look: () => Promise<unknown>, expected: unknown) =>
  expect.poll(look, { timeout: 10_000, interval: 100 }).toEqual(expected)

test('a key is rotated during a sale, one process after the other: no fan loses place or admission', async () => {
  const [old] = kids(first) as [string]
  const before = await newcomer(first)
  expect([before.queueToken, before.admission].map(signerOf)).toEqual([old, old])
  const owners = [before]
  const allGood = async () => {
    for (const held of owners)
      for (const api of [first, second]) expect(await isGood(api, held)).toEqual([true, true])
  }

  // A new key that was only added signs nothing.
  keys('add', first)
  const [, fresh] = kids(first) as [string, string]
  await sleep(KNOWN_MS)
  copyFileSync(first.keysFile, second.keysFile)
  await sleep(KNOWN_MS)
  owners.push(await newcomer(first), await newcomer(second))
  expect(owners.map(({ queueToken }) => signerOf(queueToken))).toEqual([old, old, old])

  // The first process signs with it, and the second accepts it.
  keys('use', first)
  expect(kids(first)).toEqual([fresh, old])
  await known(async () => signerOf(await join(first, await fan())), fresh)
  const after = await newcomer(first)
  owners.push(after, await newcomer(second))
  expect(owners.map(({ queueToken }) => signerOf(queueToken))).toEqual([old, old, old, fresh, old])
  await allGood()

  // The second follows: no token is signed with the old key any more, not even for a fan with an old token.
  keys('use', second)
  expect(kids(second)).toEqual([fresh, old])
  await known(async () => signerOf(await join(second, await fan())), fresh)
  for (const api of [first, second]) {
    expect(signerOf(await join(api, before.who))).toBe(fresh)
    expect(signerOf(await letIn(api, before.who, before.queueToken))).toBe(fresh)
  }
  await allGood()

  // A file that is cut short or broken changes nothing.
  const whole = readFileSync(first.keysFile, 'utf8')
  for (const broken of [whole.slice(0, 100), whole.replace(/"k": "[^"]+"/, '"k": "short"')]) {
    writeFileSync(first.keysFile, broken)
    await sleep(KNOWN_MS)
    await allGood()
  }
  writeFileSync(first.keysFile, whole)

  // Tokens of the dropped key are invalid; their owners join again and have the same places.
  for (const api of [first, second]) keys('drop', api)
  for (const api of [first, second]) await known(() => isGood(api, before), [false, false])
  const again = await join(second, before.who)
  expect(await isGood(first, { ...before, queueToken: again })).toEqual([true, false])
  expect(await isGood(first, after)).toEqual([true, true])
})

test('a key file is made once, and an impossible rotation is refused', async () => {
  const { keysFile } = first
  const run = (...args: string[]) => execFileSync(process.execPath, [SCRIPT, ...args], { stdio: 'pipe' })
  const before = readFileSync(keysFile, 'utf8')
  expect(() => run('make', keysFile)).toThrow('EEXIST')
  expect(() => run('use', keysFile, 'barcodes')).toThrow('has one key')
  expect(() => run('drop', keysFile, 'barcodes')).toThrow('has one key')
  expect(() => run('add', keysFile, 'passwords')).toThrow('npm run keys -- add <file> <ring>')
  expect(() => run('add', `${keysFile}.not`, 'tokens')).toThrow('ENOENT')
  expect(readFileSync(keysFile, 'utf8')).toBe(before)
  run('make', `${keysFile}.new`)
  run('add', `${keysFile}.new`, 'barcodes')
  expect((JSON.parse(readFileSync(`${keysFile}.new`, 'utf8')) as KeysFile).barcodes).toHaveLength(2)
})
