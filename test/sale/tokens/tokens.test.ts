import { jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { importKeys, makeKeys } from '../../../src/keys.ts'
import { createTokens } from '../../../src/sale/tokens/tokens.ts'

const file = await makeKeys()
const keys = await importKeys(file)
const tokens = createTokens(keys)
const secret = keys.tokens[0].secret
const { kid } = keys.tokens[0]

const place = {
  eventId: 'evt_one',
  accountId: 'ana',
  device: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]),
  arrival: 17,
}
const expiresAt = new Date('2026-11-29T12:10:00.000Z')
const admission = { ...place, place: 4, expiresAt }
const now = new Date('2026-11-29T12:00:00Z')

test('a queue token contains the signed claims, and the same claims give the same token', async () => {
  const token = tokens.signQueueToken(place)
  expect(tokens.verifyQueueToken(token)).toEqual(place)
  expect(tokens.signQueueToken(place)).toBe(token)
})

test('both kinds of token are standard JWTs', async () => {
  const queue = await jwtVerify(tokens.signQueueToken(place), secret, { typ: 'fairgate-queue+jwt' })
  expect(queue.protectedHeader).toEqual({ alg: 'HS256', kid, typ: 'fairgate-queue+jwt' })
  expect(queue.payload).toEqual({ evt: 'evt_one', sub: 'ana', dev: 'AQIDBAUGBwg', arr: 17 })
  const inside = await jwtVerify(tokens.signAdmissionToken(admission), secret, {
    typ: 'fairgate-admission+jwt',
    currentDate: now,
  })
  expect(inside.payload).toEqual({ ...queue.payload, plc: 4, exp: expiresAt.getTime() / 1_000 })
})

test('an admission token contains the signed claims until it expires', async () => {
  const token = tokens.signAdmissionToken(admission)
  expect(tokens.verifyAdmissionToken(token, now)).toEqual(admission)
  expect(tokens.signAdmissionToken(admission)).toBe(token)
  expect(tokens.verifyAdmissionToken(token, new Date(expiresAt.getTime() - 1))).toEqual(admission)
  expect(tokens.verifyAdmissionToken(token, expiresAt)).toBeNull()
})

test('an admission token never expires before the admission', async () => {
  const token = tokens.signAdmissionToken({
    ...admission,
    expiresAt: new Date(expiresAt.getTime() + 1),
  })
  expect(tokens.verifyAdmissionToken(token, expiresAt)).not.toBeNull()
})

test('one kind of token is not valid as the other', async () => {
  expect(tokens.verifyAdmissionToken(tokens.signQueueToken(place), now)).toBeNull()
  expect(tokens.verifyQueueToken(tokens.signAdmissionToken(admission))).toBeNull()
})

test('edited, truncated, unsigned and foreign tokens are all refused in the same way', async () => {
  const token = tokens.signQueueToken(place)
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const first = Buffer.from(
    JSON.stringify({ evt: 'evt_one', sub: 'ana', dev: 'AQIDBAUGBwg', arr: 1 }),
  ).toString('base64url')
  const claims = { evt: 'evt_one', sub: 'ana', dev: 'AQIDBAUGBwg', arr: 1 }
  const stranger = createTokens(await importKeys(await makeKeys()))
  const signed = (protectedHeader: object, key = secret) =>
    new SignJWT(claims).setProtectedHeader(protectedHeader as { alg: string }).sign(key)
  const typ = 'fairgate-queue+jwt'
  expect(tokens.verifyQueueToken(await signed({ alg: 'HS256', kid, typ }))).not.toBeNull()
  for (const bad of [
    '',
    'x',
    'a.b.c',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    withOtherBits(token),
    `${header}.${first}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${token}${'A'.repeat(10_000)}`,
    stranger.signQueueToken(place),
    new UnsecuredJWT(claims).encode(),
    await signed({ alg: 'HS512', kid, typ }, Buffer.alloc(64, secret)),
    await signed({ alg: 'HS256', kid }),
    await signed({ alg: 'HS256', kid, typ: 'JWT' }),
    await signed({ alg: 'HS256', typ }),
    await signed({ alg: 'HS256', kid: 'another', typ }),
    await signed({ typ, kid, alg: 'HS256' }),
    await signed({ alg: 'HS256', kid, typ, b64: true, crit: ['b64'] }),
    await signed({ alg: 'HS256', kid: '../../dev/null', typ }),
  ]) {
    expect(tokens.verifyQueueToken(bad)).toBeNull()
    expect(tokens.verifyAdmissionToken(bad, now)).toBeNull()
  }
})

test('after a key rotation the old key’s tokens stay valid, and new tokens use the new key', async () => {
  const fresh = await makeKeys()
  const rotated = createTokens(await importKeys({ ...file, tokens: [...fresh.tokens, ...file.tokens] }))
  const old = tokens.signQueueToken(place)
  expect(rotated.verifyQueueToken(old)).toEqual(place)
  const renewed = rotated.signQueueToken(place)
  expect(rotated.verifyQueueToken(renewed)).toEqual(place)
  expect(tokens.verifyQueueToken(renewed)).toBeNull()
  const dropped = createTokens(await importKeys({ ...file, tokens: fresh.tokens }))
  expect(dropped.verifyQueueToken(old)).toBeNull()
})

/** Changes the last character of a signature in the two bits that decoding ignores. */
function withOtherBits(token: string): string {
  const other = String.fromCharCode(token.charCodeAt(token.length - 1) + 1)
  const edited = token.slice(0, -1) + other
  const decoded = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url')
  expect(decoded(edited)).toEqual(decoded(token))
  return edited
}

test('a token that was verified before is refused once its key has left the ring', async () => {
  const [old, later] = [await importKeys(await makeKeys()), await importKeys(await makeKeys())]
  const ring = { tokens: old.tokens }
  const tokens = createTokens(ring)
  const token = tokens.signQueueToken(place)
  expect(tokens.verifyQueueToken(token)).toEqual(place)
  expect(tokens.verifyQueueToken(token)).toEqual(place)
  const inside = tokens.signAdmissionToken(admission)
  expect(tokens.verifyAdmissionToken(inside, now)).toEqual(admission)
  expect(tokens.verifyAdmissionToken(inside, now)).toEqual(admission)
  ring.tokens = later.tokens
  expect(tokens.verifyQueueToken(token)).toBeNull()
  expect(tokens.verifyAdmissionToken(inside, now)).toBeNull()
})

test('in a crowd larger than the cache every fan’s token still gives the fan’s own place', () => {
  const arrivals = Array.from({ length: 50_000 }, (_, i) => i + 1)
  const crowd = arrivals.map((arrival) => tokens.signQueueToken({ ...place, arrival }))
  const arrivalsRead = () => crowd.map((token) => tokens.verifyQueueToken(token)?.arrival)
  expect(arrivalsRead()).toEqual(arrivals)
  expect(arrivalsRead()).toEqual(arrivals)
  const inside = arrivals.map((arrival) => tokens.signAdmissionToken({ ...admission, arrival }))
  const arrivalsAdmitted = () => inside.map((token) => tokens.verifyAdmissionToken(token, now)?.arrival)
  expect(arrivalsAdmitted()).toEqual(arrivals)
  expect(arrivalsAdmitted()).toEqual(arrivals)
})
