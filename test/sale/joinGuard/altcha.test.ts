import { pbkdf2Sync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { solveAltcha } from '../../../clients/sdk/index.ts'
import { importKeys, makeKeys } from '../../../src/keys.ts'
import type { Clock } from '../../../src/sale/clock.ts'
import { createAltcha } from '../../../src/sale/joinGuard/altcha.ts'

let now = new Date('2027-03-01T09:00:00Z')
const clock: Clock = { now: async () => now, estimate: () => now, at: async () => now }
const file = await makeKeys()
const altcha = createAltcha({ keys: await importKeys(file), clock })
const ana = { eventId: 'evt_1', accountId: 'ana' }

const challenge = await altcha.challenge(ana)
const answer = (await solveAltcha(challenge)) as string
type Parts = {
  challenge: { parameters: Record<string, unknown>; signature: string }
  solution: Record<string, unknown>
}
const edited = (edit: (parts: Parts) => void) => {
  const parts = JSON.parse(atob(answer)) as Parts
  edit(parts)
  return btoa(JSON.stringify(parts))
}

test('a right answer has the same id each time it is checked, in every encoding', async () => {
  const right = await altcha.verify(answer, ana)
  expect(right).toEqual({ id: expect.any(String), expiresAt: new Date('2027-03-01T09:05:00Z') })
  const reencoded = edited((parts) => {
    parts.solution.time = 7
    parts.challenge = { signature: parts.challenge.signature, parameters: parts.challenge.parameters }
  })
  expect(reencoded).not.toBe(answer)
  expect(await altcha.verify(reencoded, ana)).toEqual(right)
})

test('an app solves a challenge without a library, in the few lines that docs/clients.md gives', async () => {
  const { parameters, signature } = (await altcha.challenge(ana)) as unknown as Parts['challenge']
  const { nonce, salt, cost, keyLength, keyPrefix } = parameters as Record<string, string> & {
    cost: number
    keyLength: number
  }
  let counter = 0
  for (let key = ''; ; counter++) {
    const password = Buffer.alloc(20)
    password.write(nonce as string, 'hex')
    password.writeUInt32BE(counter, 16)
    key = pbkdf2Sync(password, Buffer.from(salt as string, 'hex'), cost, keyLength, 'sha256').toString('hex')
    if (!key.startsWith(keyPrefix as string)) continue
    const solution = { counter, derivedKey: key }
    const own = btoa(JSON.stringify({ challenge: { parameters, signature }, solution }))
    expect(own.length).toBeLessThanOrEqual(2_000)
    expect(await altcha.verify(own, ana)).not.toBeNull()
    break
  }
  expect(counter).toBeGreaterThanOrEqual(3_000)
  expect(counter).toBeLessThanOrEqual(6_000)
})

test('an answer fits into the API’s field, and a challenge does not contain the account’s name', () => {
  expect(answer.length).toBeLessThan(1_500)
  expect(JSON.stringify(challenge)).not.toContain('ana')
})

test.each([
  ['for another account', { ...ana, accountId: 'bob' }],
  ['for another event', { ...ana, eventId: 'evt_2' }],
])('an answer is wrong where the challenge was %s', async (_what, subject) => {
  expect(await altcha.verify(answer, subject)).toBeNull()
})

const data = ({ challenge }: Parts) => challenge.parameters.data as Record<string, unknown>
const edits: Record<string, (parts: Parts) => object> = {
  'less work': ({ challenge }) => Object.assign(challenge.parameters, { cost: 1 }),
  'another prefix': ({ challenge }) => Object.assign(challenge.parameters, { keyPrefix: '00' }),
  'a later end': (parts) => Object.assign(data(parts), { end: 9e9 }),
  'another account': (parts) => Object.assign(data(parts), { bound: 'x' }),
  'an unknown key': (parts) => Object.assign(data(parts), { kid: 'x' }),
  'another signature': ({ challenge }) => Object.assign(challenge, { signature: '0'.repeat(64) }),
  'no signature': ({ challenge }) => Object.assign(challenge, { signature: '' }),
  'no signature of the key': ({ challenge }) =>
    Object.assign(challenge.parameters, { keySignature: undefined }),
  'another solution': ({ solution }) => Object.assign(solution, { derivedKey: '0'.repeat(64) }),
  'no solution': (parts) => Object.assign(parts, { solution: null }),
  'a counter that is none': ({ solution }) => Object.assign(solution, { counter: -1 }),
}

test.each(Object.entries(edits))('an edited answer is wrong: %s', async (_what, edit) => {
  expect(await altcha.verify(edited(edit), ana)).toBeNull()
})

test('an answer to a challenge that was signed with other keys is wrong', async () => {
  const stranger = createAltcha({ keys: await importKeys(await makeKeys()), clock })
  expect(await stranger.verify(answer, ana)).toBeNull()
  // A key with the same name and another secret.
  const [key] = file.tokens
  const forged = {
    ...file,
    tokens: [{ kid: key?.kid as string, k: Buffer.alloc(32, 7).toString('base64url') }],
  }
  expect(await createAltcha({ keys: await importKeys(forged), clock }).verify(answer, ana)).toBeNull()
})

test('after a key rotation an answer stays right while the old key is in the ring', async () => {
  const { tokens } = await makeKeys()
  const rotated = createAltcha({
    keys: await importKeys({ ...file, tokens: [...tokens, ...file.tokens] }),
    clock,
  })
  expect(await rotated.verify(answer, ana)).not.toBeNull()
  const { parameters } = (await rotated.challenge(ana)) as unknown as Parts['challenge']
  expect(parameters.data).toMatchObject({ kid: tokens[0]?.kid })
})

test('no other text is right, and none causes an error', async () => {
  const json = fc.json().map((text) => Buffer.from(text).toString('base64'))
  const nested = fc
    .record({
      challenge: fc.record({ parameters: fc.object(), signature: fc.anything() }),
      solution: fc.anything(),
    })
    .map((parts) => Buffer.from(JSON.stringify(parts) ?? '').toString('base64'))
  // At least one character before the padding is cut: the padding alone carries no data.
  const cut = fc.integer({ min: 0, max: answer.length - 4 }).map((length) => answer.slice(0, length))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), json, nested, cut), async (text) => {
      expect(await altcha.verify(text, ana)).toBeNull()
    }),
    { numRuns: 500 },
  )
  expect(await altcha.verify(answer.padEnd(3_000), ana)).toBeNull()
})

test('an answer expires after five minutes by the database’s clock', async () => {
  const start = now
  now = new Date(start.getTime() + 299_000)
  expect(await altcha.verify(answer, ana)).not.toBeNull()
  now = new Date(start.getTime() + 300_000)
  expect(await altcha.verify(answer, ana)).toBeNull()
  now = start
})
