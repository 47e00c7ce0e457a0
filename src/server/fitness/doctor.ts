import { access, constants, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { BadConfiguration, type Env, readEnv } from '../../env.ts'
import { importKeys } from '../../keys.ts'
import { requireMailServer } from '../../mailServer.ts'
import { readTrustedDocuments } from '../../trustedDocuments.ts'
import { examinePart, type Finding } from './findings.ts'
import { examineProvider } from './provider.ts'
import { examineDatabase, examineRedis } from './stores.ts'

const PAGE = fileURLToPath(new URL('../../../clients/web/dist/index.html', import.meta.url))

/**
 * Examines every part of the installation that a configuration describes, without a change to any of them. A configuration that
 * cannot be read as a whole gives a finding for each fault; its stores are examined all the same.
 *
 * @param token an account token to try
 */
export async function examine(environment: NodeJS.ProcessEnv, token?: string): Promise<Finding[]> {
  let env: Env | undefined
  let configuration: Finding[] = [{ part: 'configuration', state: 'ok', text: 'complete' }]
  try {
    env = readEnv(environment)
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error
    configuration = error.faults.map((text) => ({ part: 'configuration', state: 'unfit', text }))
  }
  const { DATABASE_URL, QUEUE_DATABASE_URL, REDIS_URL, QUEUE_REDIS_URL, KEYS_FILE } = environment
  const pool = env?.databasePool ?? 0
  const parts = [
    ...[...new Set([DATABASE_URL, QUEUE_DATABASE_URL])].map(
      (url, i) =>
        url && examinePart(i === 0 ? 'DATABASE_URL' : 'QUEUE_DATABASE_URL', () => examineDatabase(url, pool)),
    ),
    ...[...new Set([REDIS_URL, QUEUE_REDIS_URL])].map(
      (url, i) => url && examinePart(i === 0 ? 'REDIS_URL' : 'QUEUE_REDIS_URL', () => examineRedis(url)),
    ),
    KEYS_FILE && examinePart('KEYS_FILE', () => examineKeys(KEYS_FILE)),
    ...(env ? examineRest(env, token) : []),
  ]
  const found = await Promise.all(parts.filter((part) => part !== undefined && part !== ''))
  return [...configuration, ...found.flat()]
}

function examineRest(env: Env, token: string | undefined): Promise<Finding[]>[] {
  return [
    examinePart('identity provider', () => examineProvider(env, token)),
    examinePart('mail', () => examineMail(env)),
    examinePart('payments', async () => ({
      ok: env.payments.forNewOrders.join(', '),
      warnings: [
        !env.embedded &&
          env.payments.forNewOrders.includes('sandbox') &&
          'the sandbox takes the orders: tickets cost no money',
      ],
    })),
    examinePart('fans', () => examineDoors(env)),
    examinePart('documents', () => examineDocuments(env)),
  ]
}

async function examineKeys(path: string) {
  const { push } = await importKeys(JSON.parse(await readFile(path, 'utf8')))
  return {
    ok: 'has the rings of keys',
    warnings: [
      push.length === 0 && 'has no key in the ring push: no fan gets web push. See docs/ops.md, Keys',
    ],
  }
}

async function examineMail({ mail: { smtpUrl, folder, from } }: Env) {
  if (smtpUrl !== null) {
    await requireMailServer(smtpUrl)
    return { ok: `the mail server answers; sender ${from}` }
  }
  if (folder === null)
    return { ok: 'none', warnings: ['neither SMTP_URL nor MAIL_FOLDER is set: no mail is sent'] }
  return { ok: 'files in MAIL_FOLDER', warnings: ['without SMTP_URL no mail reaches a fan'] }
}

async function examineDocuments({ trustedDocuments }: Env) {
  if (!trustedDocuments) return { ok: 'clients may run any document' }
  return { ok: `only ${readTrustedDocuments(trustedDocuments.files).size} trusted documents` }
}

async function examineDoors({ embedded, publicUrl, trustedProxies, metricsToken }: Env) {
  const hasPage = await access(PAGE, constants.R_OK).then(
    () => true,
    () => false,
  )
  const isPublic = !embedded
  return {
    ok: publicUrl,
    warnings: [
      !hasPage && 'the page is not built: run "npm run build:web"',
      isPublic && !publicUrl.startsWith('https:') && `PUBLIC_URL ${publicUrl} is not https`,
      isPublic &&
        trustedProxies.length === 0 &&
        'TRUSTED_PROXIES is unset: behind a proxy all fans have one address',
      isPublic && metricsToken === null && 'METRICS_TOKEN is unset: the API serves no metrics',
    ],
  }
}
