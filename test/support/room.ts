import { randomBytes } from 'node:crypto'
import pino, { type Logger } from 'pino'
import { closeParts, connectToRedis, createParts, disconnectFromRedis } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import type { JobQueues } from '../../src/jobs/bullmq/jobQueues.ts'
import { importKeys, type KeysFile, makeKeys } from '../../src/keys.ts'
import type { Caller } from '../../src/sale/caller.ts'
import type { Load, LoadFigures } from '../../src/sale/ops/load.ts'
import type { PacerDeps } from '../../src/sale/pacer/pacer.ts'
import { accountDigest, deviceDigest } from '../../src/sale/tokens/digests.ts'
import type { PositionView } from '../../src/sale/waitingRoom/waitingRoom.ts'
import type { Database } from '../../src/sql/database/database.ts'

export interface TestRoomOptions {
  db: Database
  roomDb?: Database
  redisUrl: string
  roomRedisUrl?: string
  keysFile?: KeysFile
  /** Default: nothing was measured. */
  load?: PacerDeps['load']
  log?: Logger
}

/** Processes of one test share their keys, as they do in a sale. */
const sharedKeys = await makeKeys()

const UNMEASURED: LoadFigures = {
  checkoutP99Ms: null,
  poolWaitMs: null,
  providerRefusedShare: null,
  holdsPerSecond: 0,
  holdsRefusedPerSecond: 0,
  checkoutsPerSecond: 0,
  limitedAccounts: [],
}

/** Counts nothing. */
function fixedLoad(load: TestRoomOptions['load']): Load {
  return {
    hold() {},
    checkout() {},
    poolWait() {},
    authorization() {},
    recent: async (eventId) => ({ ...UNMEASURED, ...(await load?.recent(eventId)) }),
    close() {},
  }
}

/** The parts of one process, with connections and a memory of its own, over the test's database. It has no job queues. */
export async function testRoom({
  db,
  roomDb = db,
  redisUrl,
  roomRedisUrl = redisUrl,
  keysFile = sharedKeys,
  load,
  log = pino({ level: 'silent' }),
}: TestRoomOptions) {
  const env = readEnv({
    EMBEDDED: 'true',
    DATABASE_URL: 'postgres://given.by/the-test',
    REDIS_URL: redisUrl,
    QUEUE_REDIS_URL: roomRedisUrl,
    KEYS_FILE: 'given by the test',
  })
  const connections = connectToRedis(env, log)
  const foundation = {
    ...connections,
    env,
    log,
    keys: await importKeys(keysFile),
    db,
    roomDb,
    queues: {} as JobQueues,
    load: fixedLoad(load),
  }
  const parts = createParts(foundation)
  await Promise.all([whenReady(connections.redis), whenReady(connections.roomRedis)])
  return {
    ...foundation,
    ...parts,
    close() {
      closeParts(parts)
      disconnectFromRedis(connections)
    },
  }
}

export type TestRoom = Awaited<ReturnType<typeof testRoom>>

export function whenReady(redis: TestRoom['redis']): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve()
  return new Promise((resolve) => {
    redis.once('ready', () => resolve())
  })
}

/** A fan with a verified address and a device. */
export function fan(
  name = randomBytes(4).toString('hex'),
  deviceId: string | null = `phone of ${name}`,
): TestFan {
  return {
    account: { id: name, email: `${name}@example.org`, emailVerified: true, roles: new Set() },
    deviceId,
    admissionToken: null,
  }
}

export type TestFan = Caller & { account: NonNullable<Caller['account']> }

/** The position, unless the answer is a refusal. */
export function placed(answer: object): PositionView {
  if (!('queueToken' in answer)) throw new Error(`refused: ${JSON.stringify(answer)}`)
  return answer as PositionView
}

/** Puts fans into the line in this order, as if they had joined, before the first real join. Returns their queue tokens. */
export async function fillLine(
  room: Pick<TestRoom, 'roomDb' | 'tokens'>,
  eventId: string,
  fans: readonly TestFan[],
): Promise<string[]> {
  const devices = fans.map(({ deviceId }) => deviceDigest(deviceId as string))
  await room.roomDb.pool.query(
    `insert into places (event_id, arrival, account, device)
     select $1, no, account, device from unnest($2::bytea[], $3::bytea[]) with ordinality p (account, device, no)`,
    [eventId, fans.map(({ account }) => accountDigest(eventId, account.id)), devices],
  )
  return Promise.all(
    fans.map(({ account }, i) =>
      room.tokens.signQueueToken({
        eventId,
        accountId: account.id,
        device: new Uint8Array(devices[i] as Buffer),
        arrival: i + 1,
      }),
    ),
  )
}

/** Makes the last tick a second older, so that the next one can come at once. */
export async function passSecond({ roomDb }: Pick<TestRoom, 'roomDb'>, eventId: string): Promise<void> {
  await roomDb.pool.query(
    "update rooms set ticked_at = ticked_at - interval '1 second' where event_id = $1",
    [eventId],
  )
}

/** Makes all calls and the last tick older: as if no pacer had ticked since, because a store was away. */
export async function passClosed(
  { roomDb }: Pick<TestRoom, 'roomDb'>,
  eventId: string,
  seconds: number,
): Promise<void> {
  for (const [table, at] of [
    ['rooms', 'ticked_at'],
    ['calls', 'at'],
  ])
    await roomDb.pool.query(
      `update ${table} set ${at} = ${at} - make_interval(secs => $2) where event_id = $1`,
      [eventId, seconds],
    )
}

/** The tick of the next second. */
export async function nextTick(room: Pick<TestRoom, 'roomDb' | 'pacer'>, eventId: string) {
  await passSecond(room, eventId)
  return room.pacer.tick(eventId)
}
