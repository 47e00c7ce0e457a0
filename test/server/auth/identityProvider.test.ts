import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readEnv } from '../../../src/env.ts'
import type { Keys } from '../../../src/keys.ts'
import { createIdentities } from '../../../src/server/auth/identity.ts'
import { cleanUp } from '../../support/cleanUp.ts'

const ISSUER = 'https://id.example.com'

/** The provider's answer to a request for its keys; null: it is down. */
let published: JWK[] | null = []
let fetches = 0
const provider = createServer((_request, response) => {
  fetches++
  if (published) response.end(JSON.stringify({ keys: published }))
  else response.writeHead(503).end()
}).listen(0, '127.0.0.1')
await new Promise((resolve) => provider.once('listening', resolve))
cleanUp(() => void provider.close())

const [first, second] = await Promise.all(
  ['k1', 'k2'].map(async (kid) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
  }),
)
type Pair = NonNullable<typeof first>

function sign(claims: object = {}, { kid, privateKey } = first as Pair): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + 300
  return new SignJWT({ sub: 'ana', iss: ISSUER, aud: 'tickets', exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey)
}

function identities(variables: Record<string, string> = {}) {
  const { port } = provider.address() as AddressInfo
  const env = readEnv({
    DATABASE_URL: 'postgresql://db/fairgate',
    REDIS_URL: 'redis://cache',
    KEYS_FILE: 'keys.json',
    PAYMENTS: 'sandbox',
    JWKS_URL: `http://127.0.0.1:${port}/jwks`,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: 'tickets',
    ...variables,
  })
  // biome-ignore lint/suspicious/noExplicitAny: lines of JSON
  const lines: any[] = []
  const refused: string[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const clock = { now: async () => new Date(), estimate: () => new Date() }
  const made = createIdentities({
    env,
    log,
    keys: {} as Keys,
    clock: clock as Parameters<typeof createIdentities>[0]['clock'],
    onRefused: (fault) => void refused.push(fault),
  })
  return {
    lines,
    refused,
    requireFit: made.requireFit,
    identify: async (token: Promise<string>) => made.identify(`Bearer ${await token}`),
  }
}

beforeEach(() => {
  published = [(first as Pair).jwk]
  fetches = 0
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

test.each([
  ['JWT_ISSUER', `${ISSUER}/`, 'iss', ISSUER],
  ['JWT_AUDIENCE', 'another', 'aud', 'tickets'],
])(
  'a wrong %s is logged once a minute, counted, and stated in /readyz',
  async (setting, value, claim, found) => {
    const { identify, requireFit, lines, refused } = identities({ [setting]: value })
    for (let i = 0; i < 3; i++)
      expect(await identify(sign())).toMatchObject({ account: null, hasBadToken: true })
    expect(lines).toMatchObject([
      { claim, expected: value, found: `"${found}"`, setting, isSigned: true, tokens: 1 },
    ])
    expect(refused).toEqual([claim, claim, claim])
    await expect(requireFit()).rejects.toThrow(
      `refuses tokens: their ${claim} is not "${value}" (${setting})`,
    )
    vi.advanceTimersByTime(61_000)
    await identify(sign())
    expect(lines[1]).toMatchObject({ claim, tokens: 3 })
  },
)

test('a token that another party signed, or that has ended, does not change /readyz', async () => {
  const { identify, requireFit, refused } = identities()
  const forged = sign({ iss: 'https://elsewhere.example.com' }, { ...(second as Pair), kid: 'k1' })
  await identify(forged)
  await identify(sign({ exp: 1_000 }))
  expect(refused).toEqual(['iss', 'exp'])
  await requireFit()
})

test('tokens with keys that JWKS_URL does not have are stated in /readyz until a token was valid, since any caller can invent a key', async () => {
  const { identify, requireFit, refused } = identities()
  const invented = () => identify(sign({}, second))
  expect(await invented()).toMatchObject({ hasBadToken: true })
  await expect(requireFit()).rejects.toThrow('their keys are not among those of JWKS_URL')
  expect((await identify(sign())).account?.id).toBe('ana')
  await requireFit()
  vi.advanceTimersByTime(5_001)
  expect(await invented()).toMatchObject({ hasBadToken: true })
  expect(refused).toEqual(['key', 'key'])
  await requireFit()
})

test('a key that the provider published a moment ago is fetched, or answered OVERLOADED, and never refused', async () => {
  const { identify } = identities()
  expect((await identify(sign())).account?.id).toBe('ana')
  const byNewKey = () => identify(sign({}, second))
  published = [(first as Pair).jwk, (second as Pair).jwk]
  // Keys were fetched just now: the next fetch is due five seconds later.
  await expect(byNewKey()).rejects.toMatchObject({ code: 'OVERLOADED', extensions: { retryAfterSeconds: 5 } })
  expect(fetches).toBe(1)
  vi.advanceTimersByTime(5_001)
  expect((await byNewKey()).account?.id).toBe('ana')
  expect(fetches).toBe(2)
})

test('a token of another issuer with an unknown key is refused at once, and needs no keys', async () => {
  const { identify, refused } = identities()
  await identify(sign())
  const other = sign({ iss: 'https://elsewhere.example.com' }, second)
  expect(await identify(other)).toMatchObject({ hasBadToken: true })
  expect(refused).toEqual(['iss'])
})

test('a provider that is down is stated in /readyz before any fan signs in, and known keys stay valid', async () => {
  published = null
  const { identify, requireFit, lines } = identities()
  await expect(requireFit()).rejects.toThrow('has no keys: those at JWKS_URL cannot be fetched')
  expect(lines[0].msg).toBe('the keys of JWKS_URL cannot be fetched')
  await expect(identify(sign())).rejects.toMatchObject({ code: 'OVERLOADED' })
  published = [(first as Pair).jwk]
  vi.advanceTimersByTime(5_001)
  expect((await identify(sign())).account?.id).toBe('ana')
  await requireFit()
  published = null
  vi.advanceTimersByTime(700_000)
  expect((await identify(sign())).account?.id).toBe('ana')
})

test.each([
  ['a list', {}, { roles: ['ops', 'root'] }],
  ['Keycloak', { JWT_ROLES_CLAIM: 'realm_access.roles' }, { realm_access: { roles: ['ops'] } }],
  [
    'a client of Keycloak',
    { JWT_ROLES_CLAIM: 'resource_access.box.office.roles' },
    { resource_access: { 'box.office': { roles: ['ops'] } } },
  ],
  [
    'Auth0',
    { JWT_ROLES_CLAIM: 'https://tickets.example.com/roles' },
    { 'https://tickets.example.com/roles': ['ops'] },
  ],
  ['Cognito', { JWT_ROLES_CLAIM: 'cognito:groups' }, { 'cognito:groups': ['ops'] }],
  [
    'an access token of Cognito',
    { JWT_ROLES_CLAIM: 'cognito:groups', JWT_AUDIENCE_CLAIM: 'client_id' },
    { aud: undefined, client_id: 'tickets', 'cognito:groups': ['ops'] },
  ],
  [
    'Zitadel',
    { JWT_ROLES_CLAIM: 'urn:zitadel:iam:org:project:roles' },
    { 'urn:zitadel:iam:org:project:roles': { ops: { '1234': 'acme.example.com' } } },
  ],
  ['a scope', { JWT_ROLES_CLAIM: 'scope' }, { scope: 'openid ops' }],
])('the roles of %s are read', async (_, variables, claims) => {
  const { account } = await identities(variables).identify(sign(claims))
  expect(account?.roles).toEqual(new Set(['ops']))
})

test('e-mail addresses are verified by true and "true" alone, and their claims have names by configuration', async () => {
  const { identify } = identities()
  for (const [email_verified, expected] of [
    [true, true],
    ['true', true],
    ['false', false],
    [1, false],
    [undefined, false],
  ])
    expect((await identify(sign({ email_verified }))).account?.emailVerified).toBe(expected)
  const named = identities({ JWT_EMAIL_CLAIM: 'user.mail', JWT_EMAIL_VERIFIED_CLAIM: 'user.checked' })
  const { account } = await named.identify(sign({ user: { mail: 'ana@example.com', checked: 'true' } }))
  expect(account).toMatchObject({ email: 'ana@example.com', emailVerified: true })
})
