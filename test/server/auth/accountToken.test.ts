import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { readToken, type TokenRules } from '../../../src/server/auth/accountToken.ts'

const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
]
const pairs = new Map(
  await Promise.all(
    ALGORITHMS.map(async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as const),
  ),
)
const jwks: JWK[] = await Promise.all(
  // No `alg`: a provider need not say which one a key is for.
  Array.from(pairs, async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid })),
)
const rules: TokenRules = {
  algorithms: ALGORITHMS,
  issuer: 'https://id.example.com',
  audience: 'tickets',
  audienceClaim: 'aud',
  types: [undefined, 'jwt'],
  toleranceSeconds: 5,
  keyOf: createLocalJWKSet({ keys: jwks }),
}
const NOW = 1_800_000_000
const at = (seconds: number) => new Date(seconds * 1_000)

function sign(claims: object = {}, { alg = 'ES256', key = alg, ...header }: Record<string, unknown> = {}) {
  return new SignJWT({ sub: 'ana', iss: rules.issuer, aud: rules.audience, exp: NOW + 60, ...claims })
    .setProtectedHeader({ alg: alg as string, kid: key as string, ...header })
    .sign((pairs.get(key as string) as { privateKey: CryptoKey }).privateKey)
}

/** The claims of a valid token; null for any other. */
const read = async (token: string | Promise<string>, now = NOW, by = rules) => {
  const found = await readToken(await token, at(now), by)
  return 'claims' in found ? found.claims : null
}

test('a token is accepted by each algorithm, and refused after any change', async () => {
  for (const alg of ALGORITHMS) {
    const token = await sign({}, { alg })
    expect(await read(token), alg).toMatchObject({ sub: 'ana' })
    const [head, body, signature] = token.split('.') as [string, string, string]
    const others = Buffer.from(JSON.stringify({ ...JSON.parse(atob(body)), sub: 'bob' })).toString(
      'base64url',
    )
    expect(await read(`${head}.${others}.${signature}`), alg).toBeNull()
    const middle = signature.length >> 1
    const letter = signature[middle] === 'A' ? 'B' : 'A'
    expect(
      await read(`${head}.${body}.${signature.slice(0, middle)}${letter}${signature.slice(middle + 1)}`),
      alg,
    ).toBeNull()
  }
})

test('a token with any other fault is refused', async () => {
  const right = await sign()
  const [head, body, signature] = right.split('.') as [string, string, string]
  const [, payload] = (await sign({}, { alg: 'RS256' })).split('.') as [string, string]
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hmacWithThePublicKey = await new SignJWT({ sub: 'ana' })
    .setProtectedHeader({ alg: 'HS256', kid: 'RS256' })
    .sign(Buffer.from(JSON.stringify(jwks.find(({ kid }) => kid === 'RS256'))))
  for (const [what, bad] of Object.entries({
    nothing: '',
    'two parts': `${head}.${body}`,
    'a part too many': `${right}.x`,
    'no signature': `${head}.${body}.`,
    'a header that is no object': `${encode([])}.${body}.${signature}`,
    'not signed at all': new UnsecuredJWT({ sub: 'ana' }).encode(),
    'signed with what is public': hmacWithThePublicKey,
    'another algorithm of the same key': `${encode({ alg: 'PS256', kid: 'RS256' })}.${payload}.${signature}`,
    'the key of another algorithm': await sign({}, { alg: 'ES256', key: 'ES256' }).then((token) =>
      [encode({ alg: 'ES384', kid: 'ES256' }), ...token.split('.').slice(1)].join('.'),
    ),
    'an unknown key': `${encode({ alg: 'ES256', kid: 'nobody' })}.${body}.${signature}`,
    'something to be understood': await new SignJWT({
      sub: 'ana',
      iss: rules.issuer,
      aud: rules.audience,
      exp: NOW + 60,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'ES256', crit: ['b64'], b64: true })
      .sign((pairs.get('ES256') as { privateKey: CryptoKey }).privateKey),
    'another kind': await sign({}, { typ: 'fairgate-ticket+jwt' }),
    'another issuer': await sign({ iss: 'https://elsewhere.example.com' }),
    'another audience': await sign({ aud: ['elsewhere'] }),
    'no audience': await sign({ aud: undefined }),
    'no subject': await sign({ sub: undefined }),
    'without an end': await sign({ exp: undefined }),
    'an end that is no number': await sign({ exp: String(NOW + 60) }),
    'not yet': await sign({ nbf: NOW + 6 }),
  }))
    expect(await read(bad), what).toBeNull()
  expect(await read(sign({ aud: ['elsewhere', 'tickets'], nbf: NOW + 5 }, { typ: 'JWT' }))).not.toBeNull()
})

test('a token ends five seconds after its exp', async () => {
  expect(await read(sign({ exp: NOW }), NOW + 4)).not.toBeNull()
  expect(await read(sign({ exp: NOW }), NOW + 5)).toBeNull()
})

test('a short RSA key is refused', async () => {
  const { generateKeyPairSync, sign: signBytes } = await import('node:crypto')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const keys = [{ ...(publicKey.export({ format: 'jwk' }) as JWK), kid: 'short' }]
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'RS256', kid: 'short' })}.${encode({ sub: 'ana', iss: rules.issuer, aud: rules.audience, exp: NOW + 60 })}`
  const token = `${signed}.${signBytes('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  expect(await read(token, NOW, { ...rules, keyOf: createLocalJWKSet({ keys }) })).toBeNull()
})
