import { randomBytes } from 'node:crypto'
import pino, { type Logger } from 'pino'
import { importKeys, type KeysFile, makeKeys } from '../../src/keys.ts'
import { createChannelHub } from '../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../src/redis/connect.ts'
import { createSharedJoinGuard } from '../../src/redis/joinGuard.ts'
import { createPublisher } from '../../src/redis/publisher.ts'
import { createAdmissions } from '../../src/sale/admission/admissions.ts'
import type { Caller } from '../../src/sale/caller.ts'
import { createClock } from '../../src/sale/clock.ts'
import { createCatalogue } from '../../src/sale/events/catalogue.ts'
import { createAltcha } from '../../src/sale/joinGuard/altcha.ts'
import { createJoinGuard } from '../../src/sale/joinGuard/joinGuard.ts'
import { createSeatMap } from '../../src/sale/map/seatMap.ts'
import { createRooms } from '../../src/sale/room/rooms.ts'
import { createSales } from '../../src/sale/sales/sales.ts'
import { accountDigest, deviceDigest } from '../../src/sale/tokens/digests.ts'
import { createTokens } from '../../src/sale/tokens/tokens.ts'
import {
  createWaitingRoom,
  type PositionView,
  type WaitingRoomDeps,
} from '../../src/sale/waitingRoom/waitingRoom.ts'
import type { Database } from '../../src/sql/database.ts'

export interface TestRoomOptions {
  db: Database
  roomDb?: Database
  redisUrl: string
  roomRedisUrl?: string
  keysFile?: KeysFile
  /** Default: nothing was measured. */
  load?: WaitingRoomDeps['load']
  log?: Logger
}

/** Processes of one test share their keys, as they do in a sale. */
const sharedKeys = await makeKeys()

/** What a process has of the waiting room, with its own connections and its own memory. */
export async function testRoom({
  db,
  roomDb = db,
  redisUrl,
  roomRedisUrl = redisUrl,
  keysFile = sharedKeys,
  load = { recent: async () => ({ checkoutP99Ms: null, poolWaitMs: null, providerRefusedShare: null }) },
  log = pino({ level: 'silent' }),
}: TestRoomOptions) {
  const redis = connectForCommands(redisUrl)
  const roomRedis = connectForCommands(roomRedisUrl)
  const hub = createChannelHub(connectForWaiting(redisUrl))
  const publish = createPublisher(redis)
  const catalogue = createCatalogue(db)
  const clock = createClock(db)
  const seatMap = createSeatMap({ db, redis, hub, catalogue, clock, log })
  const rooms = createRooms({ roomDb, hub, publish, log })
  const sales = createSales({ db, catalogue, hub, seatMap, rooms, clock, log })
  const keys = await importKeys(keysFile)
  const tokens = createTokens(keys)
  const admissions = createAdmissions({ db, tokens, rooms, clock })
  const joinGuard = createJoinGuard({
    shared: createSharedJoinGuard(roomRedis),
    verifier: createAltcha({ keys, clock }),
    clock,
  })
  const waitingRoom = createWaitingRoom({
    db,
    roomDb,
    roomRedis,
    sales,
    rooms,
    admissions,
    tokens,
    joinGuard,
    clock,
    load,
    log,
  })
  await Promise.all([whenReady(redis), whenReady(roomRedis)])
  return {
    db,
    roomDb,
    hub,
    publish,
    redis,
    roomRedis,
    catalogue,
    seatMap,
    clock,
    rooms,
    sales,
    tokens,
    admissions,
    waitingRoom,
    close() {
      sales.close()
      rooms.close()
      hub.close()
      redis.disconnect()
      roomRedis.disconnect()
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

/** Somebody with a verified address and a device. */
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

/** The position, where the answer is one and not a refusal. */
export function placed(answer: object): PositionView {
  if (!('queueToken' in answer)) throw new Error(`refused: ${JSON.stringify(answer)}`)
  return answer as PositionView
}

/** Puts fans into the line in this order, as if they had joined; before anybody joins in earnest. Their queue tokens. */
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

/** Makes the last tick a second older, so that the next one need not be waited for. */
export async function passSecond({ roomDb }: Pick<TestRoom, 'roomDb'>, eventId: string): Promise<void> {
  await roomDb.pool.query(
    "update rooms set ticked_at = ticked_at - interval '1 second' where event_id = $1",
    [eventId],
  )
}

/** Makes all that was called, and the last tick, older: as if nobody had ticked since, where a store was away. */
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
export async function nextTick(room: Pick<TestRoom, 'roomDb' | 'waitingRoom'>, eventId: string) {
  await passSecond(room, eventId)
  return room.waitingRoom.tick(eventId)
}
