import { createServer, type Server, type Socket } from 'node:net'
import { Queue } from 'bullmq'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createJobQueues } from '../../../src/jobs/bullmq/queues.ts'
import { JOBS } from '../../../src/jobs/index.ts'
import { QUEUE_PREFIX } from '../../../src/redis/keys.ts'
import { until } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'

const server = await testRedis()
const log = pino({ enabled: false })
const queues = createJobQueues({ redisUrl: server.url, jobs: JOBS, log })
await until(() => queues.counts().catch(() => undefined), 'Redis')
afterAll(() => queues.close())

const capture = (id: string, orderId: string) => ({ job: 'capturePayment', id, data: { orderId } })
const waiting = async () => (await queues.counts()).capturePayment?.waiting

test('two jobs with one id are one job', async () => {
  const before = (await waiting()) ?? 0
  await queues.add([capture('ob-1', 'ord_x_1'), capture('ob-1', 'ord_x_1')])
  await queues.add([capture('ob-1', 'ord_x_1')])
  expect(await waiting()).toBe(before + 1)
})

test('two waiting jobs with one subject are one job', async () => {
  const before = (await waiting()) ?? 0
  await queues.add([capture('ob-2', 'ord_x_2')])
  await queues.add([capture('ob-3', 'ord_x_2'), capture('ob-4', 'ord_x_3')])
  expect(await waiting()).toBe(before + 2)
})

test('invalid data are accepted, so that the job fails for good and becomes a dead letter', async () => {
  const before = (await waiting()) ?? 0
  await queues.add([{ job: 'capturePayment', id: 'ob-5', data: { order: 'ord_x_4' } }])
  expect(await waiting()).toBe(before + 1)
})

test('a job that does not exist, or that runs on a schedule, takes no work', async () => {
  await expect(queues.add([{ job: 'brew', id: 'a', data: {} }])).rejects.toThrow('there is no job brew')
  await expect(queues.add([{ job: 'callPlaces', id: 'a', data: {} }])).rejects.toThrow('runs on a schedule')
})

test('BullMQ accepts the job id of every row of the outbox', async () => {
  const queue = new Queue('capturePayment', { connection: { url: server.url }, prefix: QUEUE_PREFIX })
  await expect(queue.add('x', {}, { jobId: '17' })).rejects.toThrow()
  await queues.add([capture(`ob-${2n ** 63n - 1n}`, 'ord_x_9')])
  expect(await queue.getJob(`ob-${2n ** 63n - 1n}`)).toBeDefined()
  await queue.close()
})

test.each([
  ['no server listens', undefined],
  // It reads: a socket with unread data would stay open after its client has closed.
  ['a server listens and never answers', (socket: Socket) => void socket.resume()],
])('when %s, no call hangs', async (_, answer) => {
  const silent: Server = createServer(answer ?? ((socket) => socket.destroy()))
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  const { port } = silent.address() as { port: number }
  if (!answer) silent.close()
  const unreachable = createJobQueues({ redisUrl: `redis://127.0.0.1:${port}`, jobs: JOBS, log })
  const calls = [
    unreachable.add([capture('ob-1', 'ord_x_1')]),
    unreachable.counts(),
    unreachable.overdue('capturePayment'),
    unreachable.schedules.list('callPlaces'),
    unreachable.schedules.put('callPlaces', 'a', 1_000, {}),
    unreachable.failedIds('capturePayment'),
    unreachable.jobState('capturePayment', 'ob-1'),
    unreachable.replay({ queue: 'capturePayment', jobId: 'ob-1', data: { orderId: 'ord_x_1' } }),
    unreachable.drop('capturePayment', 'ob-1'),
  ]
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { name: 'QueueUnavailable' } })
  }
  await unreachable.close()
  silent.close()
})
