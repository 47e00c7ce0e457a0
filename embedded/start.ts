// npm start: runs all of Fairgate on this machine, with its data under .fairgate/.
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Env, readEnv } from '../src/env.ts'
import { type KeysFile, makeKeys, NEW_KEY, readKeys } from '../src/keys.ts'
import { MigrationRefused } from '../src/sql/database/migrate.ts'
import { StartFailed } from '../src/startFailed.ts'
import { banner } from './banner.ts'
import { prepareDatabase, requirePort, requireRedis } from './checks.ts'
import { type Child, startChild } from './child.ts'
import { demoEvent } from './demo.ts'
import { endOfLog, explain } from './failures.ts'
import { claimInstance, type Instance } from './instance.ts'
import { buildPage } from './page.ts'
import { postgresGroup, type Server, startPostgres, stopLeftoverPostgres } from './postgres.ts'
import { makePrivate, PRIVATE_FILE } from './privateFolder.ts'
import { freePort } from './processes.ts'
import { startRedis, stopLeftoverRedis } from './redis.ts'

/** One Ctrl-C arrives twice: from the terminal and from npm. */
const ONE_SIGNAL_MS = 1_000

const root = fileURLToPath(new URL('..', import.meta.url))
const servers: Server[] = []
const children: Child[] = []
let instance: Instance | undefined
let page: Promise<void> | undefined

/** Which servers this process runs itself. */
interface Own {
  postgres: boolean
  redis: boolean
}

const interrupted = new AbortController()
let running = false
let stopping: Promise<never> | undefined
let firstSignalAt: number | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stopOnSignal)
// Without these listeners a closed terminal would end this process and leave the servers behind.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
process.on('uncaughtException', (error) => {
  say(explain(error))
  void stop(1)
})

try {
  await start()
  running = true
  if (interrupted.signal.aborted) await stop(0)
} catch (error) {
  if (!interrupted.signal.aborted) say(`\n${explain(error)}`)
  await stop(interrupted.signal.aborted ? 0 : 1)
}

async function start(): Promise<void> {
  const { values } = parseArgs({
    options: {
      /** Deletes all data first. */
      reset: { type: 'boolean', default: false },
      /** The folder of data, keys and logs. */
      folder: { type: 'string', default: join(root, '.fairgate') },
    },
  })
  const folder = resolve(values.folder)
  const own: Own = { postgres: !process.env.DATABASE_URL, redis: !process.env.REDIS_URL }
  if (process.env.PORT === '0') process.env.PORT = String(await freePort())
  // Reports every fault of the configuration before a process starts.
  const { host, port, publicUrl } = readEnv(
    variables(folder, { postgres: 'postgresql://later', redis: 'redis://later' }),
  )

  const isOurs = existsSync(join(folder, 'keys.json'))
  await makePrivate(folder, { isOurs, gid: own.postgres ? postgresGroup() : undefined })
  instance = await claimInstance(folder, publicUrl)
  await requirePort(host, port)
  if (values.reset) await reset(folder, own)

  page = buildPage(root)
  // Awaited below. Until then a failure must not end this process.
  page.catch(() => {})
  const [postgres, redis] = await allOrThrow([
    own.postgres ? startServer(startPostgres({ folder: join(folder, 'postgres') })) : undefined,
    own.redis ? startServer(startRedis({ folder: join(folder, 'redis') })) : undefined,
  ])
  const environment = variables(folder, { postgres: postgres?.url, redis: redis?.url })
  const env = readEnv(environment)
  await prepare(env, own)
  await page

  await allOrThrow([
    startProcess('api', 'src/main.ts', folder, environment),
    startProcess('worker', 'src/worker.ts', folder, environment),
  ])
  interrupted.signal.throwIfAborted()
  const event = env.embedded ? await demoEvent(env) : null
  interrupted.signal.throwIfAborted()
  say(banner({ env, folder, event, own }))
}

/** The environment of the API and the worker: the given variables, and defaults for the others. */
function variables(folder: string, urls: { postgres?: string; redis?: string }): NodeJS.ProcessEnv {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
  return {
    DATABASE_URL: urls.postgres,
    REDIS_URL: urls.redis,
    KEYS_FILE: join(folder, 'keys.json'),
    MAIL_FOLDER: join(folder, 'mail'),
    // With an identity provider of its own, a service must not accept the tokens of /dev/token.
    EMBEDDED: String(!given.JWKS_URL),
    ...given,
  }
}

async function startServer(starting: Promise<Server>): Promise<Server> {
  const server = await starting
  servers.push(server)
  stopWhenGone(server)
  return server
}

async function startProcess(
  name: string,
  script: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const log = join(folder, `${name}.log`)
  const child = startChild({ name, script: join(root, script), folder: root, env, log, instance })
  children.push(child)
  await child.ready
  stopWhenGone(child)
}

/** Waits for all parts before it throws, because a part that still starts cannot be stopped. */
async function allOrThrow<T>(starting: (Promise<T> | undefined)[]): Promise<(T | undefined)[]> {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}

async function prepare(env: Env, own: Own): Promise<void> {
  await requireRedis('REDIS_URL', env.redisUrl)
  if (env.roomRedisUrl !== env.redisUrl) await requireRedis('QUEUE_REDIS_URL', env.roomRedisUrl)
  await prepareDatabase('DATABASE_URL', env.databaseUrl).catch((error: Error) => {
    if (!own.postgres || !(error instanceof MigrationRefused)) throw error
    throw new StartFailed(`${error.message} To start over with an empty database: npm start -- --reset`)
  })
  if (env.roomDatabaseUrl !== env.databaseUrl) {
    await prepareDatabase('QUEUE_DATABASE_URL', env.roomDatabaseUrl)
  }
  if (!existsSync(env.keysFile)) {
    await writeFile(env.keysFile, JSON.stringify(await makeKeys(), null, 2), { mode: PRIVATE_FILE })
  }
  // A file of before the ring: the embedded default sends web push.
  const { push } = await readKeys(env.keysFile)
  if (push.length === 0) await addPushKey(env.keysFile)
  interrupted.signal.throwIfAborted()
}

async function addPushKey(path: string): Promise<void> {
  const file = JSON.parse(await readFile(path, 'utf8')) as KeysFile
  await writeFile(path, JSON.stringify({ ...file, push: [await NEW_KEY.push()] }, null, 2), {
    mode: PRIVATE_FILE,
  })
}

async function reset(folder: string, own: Own): Promise<void> {
  if (!own.postgres || !own.redis) {
    throw new StartFailed(
      '--reset deletes only data that npm start keeps itself, but DATABASE_URL or REDIS_URL names your own server. ' +
        'Delete its data by hand. Nothing was changed.',
    )
  }
  await stopLeftoverPostgres(join(folder, 'postgres'))
  await stopLeftoverRedis(join(folder, 'redis'))
  for (const name of ['postgres', 'redis', 'keys.json']) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

function stopWhenGone(part: Server | Child): void {
  void part.exited.then((how) => {
    if (stopping) return
    say(
      `\n${part.name} ended by itself (${how}), so everything else stops too. The end of its log:\n${endOfLog(part.log)}`,
    )
    void stop(1)
  })
}

function stopOnSignal(): void {
  const now = Date.now()
  if (firstSignalAt === undefined) {
    firstSignalAt = now
    interrupted.abort()
    say('\nStopping after the current requests and jobs. Press Ctrl-C again to stop at once.')
    if (running) void stop(0)
  } else if (now - firstSignalAt > ONE_SIGNAL_MS) {
    for (const child of children) child.kill()
    void stop(1)
  }
}

/** Stops the API and the worker first, then the servers that they use. */
function stop(code: number): Promise<never> {
  stopping ??= (async () => {
    await Promise.allSettled(children.map((child) => child.stop()))
    await Promise.allSettled(servers.map((server) => server.stop()))
    await page?.catch(() => {})
    instance?.release()
    process.exit(code)
  })()
  return stopping
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
