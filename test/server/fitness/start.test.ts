import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writeKeys } from '../../support/apiProcess.ts'
import { testDatabase } from '../../support/database.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
const cluster = await testRedis({ 'cluster-enabled': 'yes' })
const evicting = await testRedis({ 'maxmemory-policy': 'allkeys-lru' })
const keysFile = await writeKeys()

/** Starts a process of production, and returns its exit code and what it wrote. */
async function start(script: string, variables: Record<string, string>) {
  const path = fileURLToPath(new URL(`../../../src/${script}`, import.meta.url))
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      EMBEDDED: 'true',
      DATABASE_URL: db.url,
      REDIS_URL: cluster.url,
      KEYS_FILE: keysFile,
      PORT: '0',
      ...variables,
    },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => {
    stdout += data
  })
  child.stderr.on('data', (data) => {
    stderr += data
  })
  const [code] = await once(child, 'close')
  return { code, stdout: stdout.trim(), stderr }
}

test.each(['main.ts', 'worker.ts'])(
  '%s does not start on a Redis Cluster, an evicting Redis or a wrong setting, and names each',
  async (script) => {
    const address = new URL(db.url)
    address.searchParams.set('options', '-c datestyle=German')
    expect(await start(script, { DATABASE_URL: address.href, QUEUE_REDIS_URL: evicting.url })).toEqual({
      code: 1,
      stdout: '',
      stderr: `The configuration cannot be used:
  DATABASE_URL needs DateStyle ISO, not German, DMY.
  REDIS_URL is a Redis Cluster, which Fairgate does not support: give it one Redis, with replicas if you like.
  QUEUE_REDIS_URL evicts keys when memory runs out (maxmemory-policy is allkeys-lru): set it to noeviction.
`,
    })
  },
)
