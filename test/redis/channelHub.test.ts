import { afterAll, expect, test } from 'vitest'
import { createChannelHub } from '../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../src/redis/connect.ts'
import { testRedis } from '../support/redis.ts'
import { whenReady } from '../support/room.ts'

const redis = await testRedis()
const commands = connectForCommands(redis.url)
await whenReady(commands)
afterAll(() => commands.disconnect())

/** Far longer than any of it takes, also on a busy machine. */
const WAIT = { timeout: 10_000 }

const loseSubscribers = () => commands.call('client', 'kill', 'type', 'pubsub')

test('after a lost connection every listener is notified to read again, and receives later messages', async () => {
  const hub = createChannelHub(connectForWaiting(redis.url))
  const received = { a: [] as string[], b: [] as string[] }
  for (const channel of ['a', 'b'] as const) hub.listen(channel, (message) => received[channel].push(message))
  await expect.poll(() => received, WAIT).toEqual({ a: [''], b: [''] })
  await loseSubscribers()
  await expect.poll(() => received, WAIT).toEqual({ a: ['', ''], b: ['', ''] })
  await commands.publish('b', 'news')
  await expect.poll(() => received, WAIT).toEqual({ a: ['', ''], b: ['', '', 'news'] })
  hub.close()
})

/** A rejected promise without a handler fails the whole run, as it would end a process. */
test('a hub that closes while Redis comes back and is lost again leaves no unhandled error', async () => {
  for (let i = 0; i < 3; i++) {
    const subscriber = connectForWaiting(redis.url)
    const hub = createChannelHub(subscriber)
    await new Promise((resolve) => hub.listen('a', resolve))
    const ended = new Promise((resolve) => {
      subscriber.once('ready', () => {
        redis.hang()
        setImmediate(() => {
          hub.close()
          resolve(redis.kill())
        })
      })
    })
    await loseSubscribers()
    await ended
    await expect.poll(() => subscriber.status, WAIT).toBe('end')
    await redis.restart('lost')
    await whenReady(commands)
  }
})
