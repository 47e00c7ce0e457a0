import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, inject, test } from 'vitest'
import { freePort } from '../../../embedded/processes.ts'
import { writeKeys } from '../../support/apiProcess.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { fairgate } from '../../support/cli.ts'
import { testDatabase } from '../../support/database.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()

const pair = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1' }
/** An identity provider. It calls itself by its address with a slash at the end, as Auth0 does. */
const provider = createServer(({ url = '' }, response) => {
  response.end(JSON.stringify(url.includes('openid') ? { issuer: `${issuer}/` } : { keys: [jwk] }))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => provider.once('listening', resolve))
cleanUp(() => void provider.close())
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

const RIGHT = {
  DATABASE_URL: db.url,
  REDIS_URL: redis.url,
  KEYS_FILE: await writeKeys(),
  JWKS_URL: `${issuer}/jwks`,
  JWT_ISSUER: `${issuer}/`,
  JWT_AUDIENCE: 'tickets',
  JWT_ROLES_CLAIM: 'realm_access.roles',
  PAYMENTS: 'sandbox',
}

let files = 0
async function doctor(variables: Record<string, string>, ...flags: string[]) {
  const file = join(inject('temporaryFolder'), `doctor-${++files}.env`)
  writeFileSync(
    file,
    Object.entries(variables)
      .map(([name, value]) => `${name}="${value}"`)
      .join('\n'),
  )
  return fairgate('doctor', '--env-file', file, ...flags)
}

function token(claims: object = {}) {
  return new SignJWT({ sub: 'olga', aud: 'tickets', realm_access: { roles: ['ops'] }, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer(`${issuer}/`)
    .setExpirationTime('5m')
    .sign(pair.privateKey)
}

test('a fit installation is reported part by part, with warnings, and the exit code is 0', async () => {
  const { code, out } = await doctor(RIGHT, '--token', await token())
  expect(code, out).toBe(0)
  expect(out).toMatch(/^ok +configuration +complete$/m)
  expect(out).toMatch(/^ok +DATABASE_URL +PostgreSQL 18\.\d+$/m)
  expect(out).toMatch(/^ok +REDIS_URL +Redis \d/m)
  expect(out).toMatch(
    /^ok +identity provider +accepts the token: account olga, ops, e-mail address missing$/m,
  )
  expect(out).toMatch(/^warning +payments +the sandbox takes the orders: tickets cost no money$/m)
  expect(out).toMatch(/Every part is fit\.\n$/)
})

test('each unfit part is named with its reason, without a secret, and the exit code is 1', async () => {
  const database = new URL(db.url)
  database.password = 'planted-secret'
  const { code, out, err } = await doctor(
    {
      ...RIGHT,
      DATABASE_URL: database.href,
      REDIS_URL: `redis://:planted-secret@127.0.0.1:${await freePort()}`,
      KEYS_FILE: '/nowhere/keys.json',
      JWT_ISSUER: issuer,
      SMTP_URL: `smtp://user:planted-secret@127.0.0.1:${await freePort()}`,
      PORT: 'planted',
    },
    '--json',
  )
  expect(code).toBe(1)
  const unfit = (JSON.parse(out) as { part: string; state: string; text: string }[]).filter(
    ({ state }) => state === 'unfit',
  )
  expect(unfit).toEqual([
    {
      part: 'configuration',
      state: 'unfit',
      text: 'PORT must be a whole number from 0 to 65535, not "planted".',
    },
    { part: 'DATABASE_URL', state: 'unfit', text: 'refuses the user or the password' },
    { part: 'REDIS_URL', state: 'unfit', text: expect.stringMatching(/^cannot be used: .*ECONNREFUSED/) },
    { part: 'KEYS_FILE', state: 'unfit', text: expect.stringMatching(/^cannot be used: .*ENOENT/) },
  ])
  expect(out + err).not.toContain('planted-secret')
})

test('a wrong issuer, a refused token and a mail server that is away are named', async () => {
  const other = await doctor({ ...RIGHT, JWT_ISSUER: issuer })
  expect(other.code).toBe(1)
  expect(other.out).toContain(
    `unfit    identity provider  calls itself "${issuer}/", and JWT_ISSUER is "${issuer}"`,
  )
  const smtp = `smtp://127.0.0.1:${await freePort()}`
  const refused = await doctor({ ...RIGHT, SMTP_URL: smtp }, '--token', await token({ aud: 'another' }))
  expect(refused.out).toMatch(/identity provider +has issued a token that is refused: aud is not "tickets"/)
  expect(refused.out).toMatch(/^unfit +mail +cannot be used: .*ECONNREFUSED/m)
  expect(refused.out).toMatch(/Not fit for a sale: identity provider, mail\.\n$/)
})

test('a database without this version’s tables is named, with the command that brings them', async () => {
  const empty = new URL(db.url)
  empty.pathname = '/postgres'
  const { out } = await doctor({ ...RIGHT, DATABASE_URL: empty.href })
  expect(out).toMatch(/^unfit +DATABASE_URL +is not of this version: run "npm run migrate"$/m)
})
