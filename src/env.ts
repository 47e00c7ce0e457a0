import { z } from 'zod'
import { type AddressRange, isThisMachine, readRanges } from './addresses.ts'
import { hostOf, unfitSender, unstatedSandbox } from './envFaults.ts'
import { type PaymentEnv, paymentFaults, paymentVariables, toPaymentEnv } from './paymentKeys.ts'
import { StartFailed } from './startFailed.ts'
import { halfWallet, type WalletSettings, walletOf, walletVariables } from './walletSettings.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)

const whole = (fallback: number, min: number, max: number) => wholeNumber(min, max).default(fallback)

/** A probability: 0 never, 1 always. */
const share = z
  .string()
  .default('0')
  .refine((text) => /^(0|1|0?\.\d+|1\.0+)$/.test(text), {
    error: 'must be a share from 0 (never) to 1 (always), such as 0.05',
  })
  .transform(Number)

const trueOrFalse = z.enum(['true', 'false'], { error: 'must be true or false' })
const yesOrNo = trueOrFalse.default('false').transform((text) => text === 'true')

function address(schemes: string[], example: string) {
  const error = `must be an address such as ${example}`
  return z.string({ error: `is missing: an address such as ${example}` }).refine(
    (text) => {
      const url = URL.parse(text)
      return url !== null && schemes.includes(url.protocol) && url.hostname !== ''
    },
    { error, params: { secret: true } },
  )
}

const postgres = address(['postgresql:', 'postgres:'], 'postgresql://user:password@host:5432/fairgate')
const redis = address(['redis:', 'rediss:'], 'redis://host:6379')
const http = address(['http:', 'https:'], 'https://tickets.example.com')

const proxies = z
  .string()
  .refine((text) => readRanges(text) !== null, {
    error: 'must be a list of addresses and ranges such as loopback, 10.1.0.0/16, or none',
  })
  .transform((text) => readRanges(text) as AddressRange[])

/** As browsers send it: a scheme and a host, in lower case. App shells have schemes of their own, or `null`. */
const ORIGIN = /^(null|[a-z][a-z0-9+.-]*:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?)$/

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((part) => part.trim()))
  .transform((parts) => parts.filter((part) => part !== ''))

const origins = list
  .transform((parts) => parts.map((part) => part.toLowerCase()))
  .refine((parts) => parts.every(isOrigin), {
    error:
      'must be a list of origins such as https://app.example.com, http://localhost:5173, capacitor://localhost or null, without paths and without *',
  })

/** False also for an origin with its default port, which browsers leave out: it would never match. */
function isOrigin(text: string): boolean {
  if (!ORIGIN.test(text)) return false
  const origin = URL.parse(text)?.origin ?? 'null'
  return origin === 'null' || origin === text
}

/** Too long to be guessed: 96 bits in base64. */
const SHORTEST_TOKEN = 16

const variables = z.object({
  DATABASE_URL: postgres,
  REDIS_URL: redis,
  /** The waiting room's own stores, so that its crowd never touches booking. */
  QUEUE_DATABASE_URL: postgres.optional(),
  QUEUE_REDIS_URL: redis.optional(),
  /** The most connections that one process opens to each database. */
  DATABASE_POOL: whole(20, 2, 1_000),

  HOST: z.string().default('127.0.0.1'),
  /** 0: any free port. */
  PORT: whole(4000, 0, 65_535),
  /** The port for a worker's metrics and health; unset: none. 0: any free port. */
  WORKER_PORT: wholeNumber(0, 65_535).optional(),
  /** The token that a reader of /metrics must send; unset: the API serves no metrics, unless it is embedded. */
  METRICS_TOKEN: z
    .string()
    .refine((text) => text.length >= SHORTEST_TOKEN, {
      error: `must have at least ${SHORTEST_TOKEN} characters`,
      params: { secret: true },
    })
    .optional(),
  /** The address that clients use. It is part of links, and the issuer of our own account tokens. */
  PUBLIC_URL: http.optional(),
  /** The address of the waiting room's own processes. For the page, its host must be below PUBLIC_URL's host. */
  ROOM_URL: http.optional(),
  /** The other origins whose pages and app shells may call the API: HTTP and WebSocket. */
  ALLOWED_ORIGINS: origins,
  /** The proxies whose X-Forwarded-For is trusted, see src/server/http/clientAddress.ts. */
  TRUSTED_PROXIES: proxies.optional(),
  /** The most sockets that clients of one address may have open in one process: a school or a carrier shares an address. */
  SOCKETS_PER_ADDRESS: whole(1_000, 1, 1_000_000),
  /** The most connections of HTTP, and requests through our proxies, that clients of one address may have in one process. */
  CONNECTIONS_PER_ADDRESS: whole(1_000, 1, 1_000_000),
  /** Signing keys, see src/keys.ts. */
  KEYS_FILE: z.string({ error: 'is missing: the path of the file with the signing keys' }),
  /** The mail server; unset: each mail is a file in MAIL_FOLDER. */
  SMTP_URL: address(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com').optional(),
  MAIL_FOLDER: z.string().optional(),
  MAIL_FROM: z.string().default('Fairgate <tickets@localhost>'),
  ...walletVariables,

  /** The app is its own identity provider, and `POST /dev/token` exists. */
  EMBEDDED: yesOrNo,
  /** Allows EMBEDDED at addresses that other machines reach: each of them can then get every role. */
  EMBEDDED_ANYWHERE: z.literal('yes', { error: 'must be yes or unset' }).optional(),
  /** Serves introspection of the schema; unset: only where the app is embedded. */
  INTROSPECTION: trueOrFalse.optional(),
  /** Runs only the documents of manifests, see src/trustedDocuments.ts. */
  TRUSTED_DOCUMENTS: z.literal('only', { error: 'must be only or unset' }).optional(),
  /** The manifests of other clients than our own. */
  TRUSTED_DOCUMENTS_FILES: list,
  JWKS_URL: address(['http:', 'https:'], 'https://id.example.com/.well-known/jwks.json').optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  /** The paths of claims, see src/server/auth/claims.ts. */
  JWT_AUDIENCE_CLAIM: z.string().default('aud'),
  JWT_ROLES_CLAIM: z.string().default('roles'),
  JWT_EMAIL_CLAIM: z.string().default('email'),
  JWT_EMAIL_VERIFIED_CLAIM: z.string().default('email_verified'),

  /** How long a stopping process lets requests and jobs finish. */
  DRAIN_SECONDS: whole(30, 0, 600),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),

  ...paymentVariables(http),
  /** States that no money is to move. */
  PAYMENTS: z.literal('sandbox', { error: 'must be sandbox or unset' }).optional(),
  /** The most calls a second to each payment provider, for all processes together. */
  PAYMENTS_PER_SECOND: whole(100, 1, 100_000),
  /** The sandbox provider's misbehaviour, see src/payments/sandbox.ts. */
  SANDBOX_LATENCY_MS: whole(0, 0, 600_000),
  SANDBOX_DECLINE_RATE: share,
  SANDBOX_TIMEOUT_RATE: share,
  SANDBOX_LOST_REPLY_RATE: share,
  /** The sandbox's own limit of calls a second; 0: none. */
  SANDBOX_RATE_LIMIT: whole(0, 0, 1_000_000),
})

export type Env = Readonly<{
  databaseUrl: string
  redisUrl: string
  roomDatabaseUrl: string
  roomRedisUrl: string
  databasePool: number
  host: string
  port: number
  workerPort: number | null
  /** Null: the API serves no metrics, unless it is embedded. */
  metricsToken: string | null
  publicUrl: string
  /** Null if the waiting room has no processes of its own. */
  roomUrl: string | null
  /** In lower case, as the header Origin has them. */
  allowedOrigins: readonly string[]
  trustedProxies: readonly AddressRange[]
  socketsPerAddress: number
  connectionsPerAddress: number
  keysFile: string
  mail: Readonly<{
    smtpUrl: string | null
    folder: string | null
    /** How many mails the folder keeps; null: all. */
    keep: number | null
    from: string
  }>
  /** Null: tickets have no passes for Apple Wallet. */
  wallet: WalletSettings | null
  embedded: boolean
  /** Other machines may get tokens from `POST /dev/token`. */
  embeddedAnywhere: boolean
  introspection: boolean
  /** Null: clients may run any document. `files`: the manifests beside our own clients' one. */
  trustedDocuments: Readonly<{ files: readonly string[] }> | null
  identity: Readonly<{
    /** Null if the app is its own issuer and checks tokens with its own keys. */
    jwksUrl: string | null
    issuer: string
    audience: string
    /** The paths of the claims, such as `realm_access.roles`. */
    claims: Readonly<{ audience: string; roles: string; email: string; emailVerified: string }>
  }>
  drainSeconds: number
  logLevel: (typeof LOG_LEVELS)[number]
  payments: PaymentEnv
  paymentsPerSecond: number
  sandbox: Readonly<{
    latencyMs: number
    declineRate: number
    timeoutRate: number
    lostReplyRate: number
    rateLimit: number
  }>
}>

/** The claims of our own tokens. */
const OWN_CLAIMS = { audience: 'aud', roles: 'roles', email: 'email', emailVerified: 'email_verified' }

/** The configuration cannot be used; every fault is a line that names its variable. */
export class BadConfiguration extends StartFailed {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(['The configuration cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    this.name = 'BadConfiguration'
    this.faults = faults
  }
}

/**
 * Returns the whole configuration from the environment, checked and frozen. An empty variable counts as unset.
 *
 * Throws BadConfiguration with every fault at once. It leaves out the values of addresses: they contain passwords.
 */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(given)
  const faults = [...(parsed.error?.issues.map((issue) => sentence(issue, given)) ?? []), ...unknown(given)]
  faults.push(...paymentFaults(given))
  if (given.EMBEDDED !== 'true') {
    for (const name of ['JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE']) {
      if (given[name] === undefined) {
        faults.push(`${name} is missing: accounts are checked against the identity provider that it names.`)
      }
    }
  }
  faults.push(...unfitSender(given), ...unstatedSandbox(given))
  if (given.EMBEDDED === 'true' && given.EMBEDDED_ANYWHERE !== 'yes') faults.push(...openToOthers(given))
  faults.push(...halfWallet(given))
  if (given.TRUSTED_DOCUMENTS_FILES !== undefined && given.TRUSTED_DOCUMENTS === undefined)
    faults.push('TRUSTED_DOCUMENTS_FILES has no effect without TRUSTED_DOCUMENTS=only.')
  if (faults.length > 0 || !parsed.data) throw new BadConfiguration(faults)
  const v = parsed.data
  const publicUrl = (v.PUBLIC_URL ?? `http://localhost:${v.PORT}`).replace(/\/+$/, '')
  return deepFreeze({
    databaseUrl: v.DATABASE_URL,
    redisUrl: v.REDIS_URL,
    roomDatabaseUrl: v.QUEUE_DATABASE_URL ?? v.DATABASE_URL,
    roomRedisUrl: v.QUEUE_REDIS_URL ?? v.REDIS_URL,
    databasePool: v.DATABASE_POOL,
    host: v.HOST,
    port: v.PORT,
    workerPort: v.WORKER_PORT ?? null,
    metricsToken: v.METRICS_TOKEN ?? null,
    publicUrl,
    roomUrl: v.ROOM_URL?.replace(/\/+$/, '') ?? null,
    allowedOrigins: v.ALLOWED_ORIGINS,
    // In the embedded default, clients are on this machine: a rehearsal's crowd sends its fans' addresses in the header.
    trustedProxies: v.TRUSTED_PROXIES ?? (v.EMBEDDED ? (readRanges('loopback') as AddressRange[]) : []),
    socketsPerAddress: v.SOCKETS_PER_ADDRESS,
    connectionsPerAddress: v.CONNECTIONS_PER_ADDRESS,
    keysFile: v.KEYS_FILE,
    mail: {
      smtpUrl: v.SMTP_URL ?? null,
      folder: v.MAIL_FOLDER ?? null,
      // As many as a developer looks through at /dev/mail.
      keep: v.EMBEDDED ? 100 : null,
      from: v.MAIL_FROM,
    },
    wallet: walletOf(v),
    embedded: v.EMBEDDED,
    embeddedAnywhere: v.EMBEDDED_ANYWHERE === 'yes',
    introspection: v.INTROSPECTION === undefined ? v.EMBEDDED : v.INTROSPECTION === 'true',
    trustedDocuments: v.TRUSTED_DOCUMENTS ? { files: v.TRUSTED_DOCUMENTS_FILES } : null,
    identity: v.EMBEDDED
      ? {
          jwksUrl: null,
          issuer: v.JWT_ISSUER ?? publicUrl,
          audience: v.JWT_AUDIENCE ?? 'fairgate',
          claims: OWN_CLAIMS,
        }
      : {
          jwksUrl: v.JWKS_URL ?? null,
          issuer: v.JWT_ISSUER ?? '',
          audience: v.JWT_AUDIENCE ?? '',
          claims: {
            audience: v.JWT_AUDIENCE_CLAIM,
            roles: v.JWT_ROLES_CLAIM,
            email: v.JWT_EMAIL_CLAIM,
            emailVerified: v.JWT_EMAIL_VERIFIED_CLAIM,
          },
        },
    drainSeconds: v.DRAIN_SECONDS,
    logLevel: v.LOG_LEVEL,
    payments: toPaymentEnv(v),
    paymentsPerSecond: v.PAYMENTS_PER_SECOND,
    sandbox: {
      latencyMs: v.SANDBOX_LATENCY_MS,
      declineRate: v.SANDBOX_DECLINE_RATE,
      timeoutRate: v.SANDBOX_TIMEOUT_RATE,
      lostReplyRate: v.SANDBOX_LOST_REPLY_RATE,
      rateLimit: v.SANDBOX_RATE_LIMIT,
    },
  })
}

function sentence(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0])
  const isSecret = issue.code === 'custom' && issue.params?.secret === true
  const value = given[name] === undefined || isSecret ? '' : `, not "${given[name]}"`
  return `${name} ${issue.message}${value}.`
}

/** Returns a fault for each unknown name with our own prefix: a misspelt setting would have no effect and no error. */
function unknown(given: Record<string, string | undefined>): string[] {
  const known = Object.keys(variables.shape)
  return Object.keys(given)
    .filter((name) => name.startsWith('SANDBOX_') && !known.includes(name))
    .map(
      (name) =>
        `${name} is not known; there are ${known.filter((k) => k.startsWith('SANDBOX_')).join(', ')}.`,
    )
}

/** Returns a fault for each variable that lets other machines reach an embedded server, which gives any caller any role. */
function openToOthers({ HOST, PUBLIC_URL, ROOM_URL }: Record<string, string | undefined>): string[] {
  const hosts = { HOST, PUBLIC_URL: hostOf(PUBLIC_URL), ROOM_URL: hostOf(ROOM_URL) }
  return Object.entries(hosts)
    .filter(([, host]) => host !== undefined && !isThisMachine(host))
    .map(
      ([name, host]) =>
        `${name} "${host}" is not this machine, and EMBEDDED=true gives any caller any role. ` +
        'Unset one of them, or set EMBEDDED_ANYWHERE=yes if you trust every caller.',
    )
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner)
  }
  return Object.freeze(value)
}
