import { describe, expect, test } from 'vitest'
import { type BadConfiguration, readEnv } from '../src/env.ts'

const NEEDED = {
  DATABASE_URL: 'postgresql://fairgate:secret@db:5432/fairgate',
  REDIS_URL: 'redis://:secret@cache:6379',
  KEYS_FILE: '/run/secrets/keys.json',
  JWKS_URL: 'https://id.example.com/jwks.json',
  JWT_ISSUER: 'https://id.example.com',
  JWT_AUDIENCE: 'tickets',
  PAYMENTS: 'sandbox',
}

const faults = (environment: Record<string, string>) => {
  try {
    readEnv(environment)
  } catch (error) {
    return (error as BadConfiguration).faults
  }
  return []
}

test('the required variables are enough, and the others have defaults', () => {
  const env = readEnv(NEEDED)
  expect(env).toMatchObject({
    port: 4000,
    publicUrl: 'http://localhost:4000',
    roomUrl: null,
    embedded: false,
    introspection: false,
    drainSeconds: 30,
    logLevel: 'info',
    sandbox: { latencyMs: 0, declineRate: 0 },
  })
  expect(env.roomDatabaseUrl).toBe(NEEDED.DATABASE_URL)
  expect(env.roomRedisUrl).toBe(NEEDED.REDIS_URL)
})

test('the allowed origins are read as browsers send them', () => {
  const { allowedOrigins } = readEnv({
    ...NEEDED,
    ALLOWED_ORIGINS: 'https://App.example.com, capacitor://localhost,null , http://[::1]:5173',
  })
  expect(allowedOrigins).toEqual([
    'https://app.example.com',
    'capacitor://localhost',
    'null',
    'http://[::1]:5173',
  ])
  expect(readEnv(NEEDED).allowedOrigins).toEqual([])
})

test.each([
  '*',
  'https://*.example.com',
  'app.example.com',
  'https://app.example.com/',
  'https://app.example.com:443',
])('an origin that no browser sends is refused: %s', (ALLOWED_ORIGINS) => {
  expect(faults({ ...NEEDED, ALLOWED_ORIGINS })).toEqual([
    expect.stringMatching(/^ALLOWED_ORIGINS must be a list of origins such as https:/),
  ])
})

test('the configuration is frozen at every level', () => {
  const env = readEnv(NEEDED)
  expect(Object.isFrozen(env)).toBe(true)
  expect(Object.isFrozen(env.sandbox)).toBe(true)
  expect(Object.isFrozen(env.identity)).toBe(true)
})

test('in the embedded default the app is its own issuer', () => {
  const { DATABASE_URL, REDIS_URL, KEYS_FILE } = NEEDED
  const env = readEnv({
    DATABASE_URL,
    REDIS_URL,
    KEYS_FILE,
    EMBEDDED: 'true',
    EMBEDDED_ANYWHERE: 'yes',
    PUBLIC_URL: 'https://tickets.example/',
  })
  expect(env.identity).toMatchObject({
    jwksUrl: null,
    issuer: 'https://tickets.example',
    audience: 'fairgate',
  })
})

test('Apple Wallet needs all of its variables, or none', () => {
  const all = {
    WALLET_PASS_TYPE: 'pass.com.example.tickets',
    WALLET_TEAM: 'TEAM123456',
    WALLET_CERTIFICATE_FILE: 'certificate.pem',
    WALLET_KEY_FILE: 'key.pem',
    WALLET_WWDR_FILE: 'wwdr.pem',
  }
  expect(readEnv(NEEDED).wallet).toBeNull()
  expect(readEnv({ ...NEEDED, ...all }).wallet).toMatchObject({ team: 'TEAM123456', keyPassphrase: null })
  const { WALLET_TEAM: _, ...withoutTeam } = all
  expect(faults({ ...NEEDED, ...withoutTeam })).toEqual([
    'WALLET_TEAM is missing: passes of Apple Wallet need it.',
  ])
})

test('all faults are reported at once, each with its variable', () => {
  expect(faults({})).toEqual([
    'DATABASE_URL is missing: an address such as postgresql://user:password@host:5432/fairgate.',
    'REDIS_URL is missing: an address such as redis://host:6379.',
    'KEYS_FILE is missing: the path of the file with the signing keys.',
    'JWKS_URL is missing: accounts are checked against the identity provider that it names.',
    'JWT_ISSUER is missing: accounts are checked against the identity provider that it names.',
    'JWT_AUDIENCE is missing: accounts are checked against the identity provider that it names.',
    'PAYMENTS is missing: no payment provider has keys. Set PAYMENTS=sandbox for a rehearsal, in which tickets cost no money.',
  ])
})

describe('a wrong value is reported in a sentence:', () => {
  test.each([
    ['PORT', 'abc', 'PORT must be a whole number from 0 to 65535, not "abc".'],
    ['PORT', '70000', 'PORT must be a whole number from 0 to 65535, not "70000".'],
    ['PORT', '4e3', 'PORT must be a whole number from 0 to 65535, not "4e3".'],
    ['DRAIN_SECONDS', '-1', 'DRAIN_SECONDS must be a whole number from 0 to 600, not "-1".'],
    ['EMBEDDED', 'yes', 'EMBEDDED must be true or false, not "yes".'],
    [
      'LOG_LEVEL',
      'loud',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud".',
    ],
    [
      'SANDBOX_DECLINE_RATE',
      '5%',
      'SANDBOX_DECLINE_RATE must be a share from 0 (never) to 1 (always), such as 0.05, not "5%".',
    ],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/8, lb.internal',
      'TRUSTED_PROXIES must be a list of addresses and ranges such as loopback, 10.1.0.0/16, or none, not "10.0.0.0/8, lb.internal".',
    ],
    ['METRICS_TOKEN', 'guessable', 'METRICS_TOKEN must have at least 16 characters.'],
    ['PUBLIC_URL', 'tickets.example', 'PUBLIC_URL must be an address such as https://tickets.example.com.'],
    [
      'DATABASE_URL',
      'mysql://u:secret@h/d',
      'DATABASE_URL must be an address such as postgresql://user:password@host:5432/fairgate.',
    ],
  ])('%s=%s', (name, value, sentence) => {
    expect(faults({ ...NEEDED, [name]: value })).toEqual([sentence])
  })

  test('and so is a misspelt setting of the sandbox', () => {
    expect(faults({ ...NEEDED, SANDBOX_LATENCY: '10' })).toEqual([
      expect.stringMatching(/^SANDBOX_LATENCY is not known/),
    ])
  })
})

test('no proxy is trusted by default, except this machine in the embedded default', () => {
  const trusted = (more: Record<string, string>) =>
    readEnv({ ...NEEDED, ...more }).trustedProxies.map(([address, bits]) => `${address}/${bits}`)
  expect(trusted({})).toEqual([])
  expect(trusted({ EMBEDDED: 'true' })).toEqual(['127.0.0.0/8', '::1/128'])
  expect(trusted({ EMBEDDED: 'true', TRUSTED_PROXIES: 'none' })).toEqual([])
  expect(trusted({ TRUSTED_PROXIES: '10.1.0.0/16, 2001:db8::7' })).toEqual(['10.1.0.0/16', '2001:db8::7/128'])
})

describe('an embedded server, which gives any caller any role,', () => {
  const embedded = (more: Record<string, string>) => faults({ ...NEEDED, EMBEDDED: 'true', ...more })

  test.each([
    ['HOST', '0.0.0.0', '0.0.0.0'],
    ['HOST', '::', '::'],
    ['HOST', '192.168.1.5', '192.168.1.5'],
    ['HOST', 'box.internal', 'box.internal'],
    ['PUBLIC_URL', 'https://tickets.example.com', 'tickets.example.com'],
    ['PUBLIC_URL', 'http://localhost.example.com:4000', 'localhost.example.com'],
    ['ROOM_URL', 'https://tickets.example.com/room', 'tickets.example.com'],
  ])('does not start with %s=%s, unless that is allowed', (name, value, host) => {
    expect(embedded({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} "${host}" is not this machine.* EMBEDDED_ANYWHERE=yes`)),
    ])
    expect(embedded({ [name]: value, EMBEDDED_ANYWHERE: 'true' })).toHaveLength(2)
    expect(embedded({ [name]: value, EMBEDDED_ANYWHERE: 'yes' })).toEqual([])
    expect(faults({ ...NEEDED, [name]: value })).toEqual([])
  })

  test('starts at every address of this machine', () => {
    for (const HOST of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) expect(embedded({ HOST })).toEqual([])
    for (const PUBLIC_URL of ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])
      expect(embedded({ PUBLIC_URL })).toEqual([])
  })
})

test('an empty variable counts as unset', () => {
  expect(readEnv({ ...NEEDED, PORT: '', PUBLIC_URL: '' }).port).toBe(4000)
})

describe('payment providers:', () => {
  const STRIPE = {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  }
  const orderOf = (more: Record<string, string>) => readEnv({ ...NEEDED, ...more }).payments.forNewOrders

  test('new orders go to the providers that have keys, in the order of the list, and else to the sandbox', () => {
    expect(orderOf({})).toEqual(['sandbox'])
    expect(orderOf({ PAYMENTS: '', ...STRIPE })).toEqual(['stripe'])
    expect(orderOf({ MOLLIE_API_KEY: 'test_1' })).toEqual(['mollie'])
    expect(orderOf({ ...STRIPE, MOLLIE_API_KEY: 'test_1' })).toEqual(['stripe', 'mollie'])
    expect(orderOf({ ...STRIPE, MOLLIE_API_KEY: 'test_1', PAYMENT_PROVIDERS: 'mollie, stripe' })).toEqual([
      'mollie',
      'stripe',
    ])
    // Stripe keeps its own orders, and takes no new ones.
    const retired = readEnv({ ...NEEDED, ...STRIPE, MOLLIE_API_KEY: 'test_1', PAYMENT_PROVIDERS: 'mollie' })
    expect(retired.payments).toMatchObject({ forNewOrders: ['mollie'], stripe: { secretKey: 'sk_test_1' } })
  })

  test('keys that are missing, of two modes or not keys at all are reported without their values', () => {
    expect(faults({ ...NEEDED, STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
      'STRIPE_PUBLISHABLE_KEY is missing: Stripe needs STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET.',
      'STRIPE_WEBHOOK_SECRET is missing: Stripe needs STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET.',
    ])
    expect(faults({ ...NEEDED, ...STRIPE, STRIPE_SECRET_KEY: 'sk_live_1' })).toEqual([
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY are of different modes: one is test, one is live.',
    ])
    expect(faults({ ...NEEDED, ...STRIPE, STRIPE_WEBHOOK_SECRET: 'sk_test_1' })).toEqual([
      "STRIPE_WEBHOOK_SECRET must be the signing secret of Stripe's webhook, such as whsec_….",
    ])
    expect(faults({ ...NEEDED, MOLLIE_API_KEY: 'hunter2' })).toEqual([
      'MOLLIE_API_KEY must be an API key of Mollie, such as live_….',
    ])
  })

  test('a live key is refused where any caller gets any role', () => {
    const { DATABASE_URL, REDIS_URL, KEYS_FILE } = NEEDED
    const embedded = { DATABASE_URL, REDIS_URL, KEYS_FILE, EMBEDDED: 'true' }
    const live = { ...STRIPE, STRIPE_SECRET_KEY: 'rk_live_1', STRIPE_PUBLISHABLE_KEY: 'pk_live_1' }
    expect(faults({ ...embedded, ...STRIPE })).toEqual([])
    expect(faults({ ...NEEDED, ...live })).toEqual([])
    expect(faults({ ...embedded, ...live, MOLLIE_API_KEY: 'live_1' })).toEqual([
      'STRIPE_SECRET_KEY is a live key, and EMBEDDED=true gives any caller any role. Use a test key.',
      'MOLLIE_API_KEY is a live key, and EMBEDDED=true gives any caller any role. Use a test key.',
    ])
  })

  test('the list names providers that have keys, each once', () => {
    expect(faults({ ...NEEDED, PAYMENT_PROVIDERS: 'stripe' })).toEqual([
      'PAYMENT_PROVIDERS names stripe, and STRIPE_SECRET_KEY is missing.',
    ])
    expect(faults({ ...NEEDED, PAYMENT_PROVIDERS: 'adyen' })).toEqual([
      'PAYMENT_PROVIDERS must be a list of stripe, mollie, sandbox, not "adyen".',
    ])
    expect(faults({ ...NEEDED, PAYMENT_PROVIDERS: 'sandbox,sandbox' })).toEqual([
      'PAYMENT_PROVIDERS must name each provider once, not "sandbox,sandbox".',
    ])
  })
})

test('production needs a payment provider, or the statement that the sandbox takes the orders', () => {
  const { PAYMENTS: _, ...rest } = NEEDED
  expect(faults(rest)).toEqual([
    'PAYMENTS is missing: no payment provider has keys. Set PAYMENTS=sandbox for a rehearsal, in which tickets cost no money.',
  ])
  expect(faults({ ...rest, PAYMENTS: 'none' })).toEqual(['PAYMENTS must be sandbox or unset, not "none".'])
  expect(faults({ ...rest, EMBEDDED: 'true' })).toEqual([])
})

test('a mail server of the internet needs a sender that it can accept', () => {
  const smtp = { ...NEEDED, SMTP_URL: 'smtps://user:secret@mail.example.com' }
  expect(faults(smtp)).toEqual([
    'MAIL_FROM is missing: the sender of mails over SMTP_URL, such as "Box office <tickets@example.com>".',
  ])
  expect(faults({ ...smtp, MAIL_FROM: 'Tickets <tickets@localhost>' })).toEqual([
    'MAIL_FROM must end with an address such as <tickets@example.com>, not "Tickets <tickets@localhost>".',
  ])
  expect(faults({ ...smtp, MAIL_FROM: 'Tickets <tickets@example.com>' })).toEqual([])
  expect(faults({ ...smtp, MAIL_FROM: 'tickets@example.com' })).toEqual([])
  expect(faults({ ...NEEDED, SMTP_URL: 'smtp://localhost:1025' })).toEqual([])
})
