import { expect, test } from 'vitest'
import { createChannelHub } from '../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../src/redis/connect.ts'
import { testRedis } from '../support/redis.ts'
import { whenReady } from '../support/room.ts'

const redis = await testRedis()
const commands = connectForCommands(redis.url)
await whenReady(commands)

const loseSubscribers = () => commands.call('client', 'kill', 'type', 'pubsub')

test('after a lost connection each listener is told to read again, and hears what is published from then on', async () => {
  const hub = createChannelHub(connectForWaiting(redis.url))
  const heard = { a: [] as string[], b: [] as string[] }
  for (const channel of ['a', 'b'] as const) hub.listen(channel, (message) => heard[channel].push(message))
  await expect.poll(() => heard).toEqual({ a: [''], b: [''] })
  await loseSubscribers()
  await expect.poll(() => heard).toEqual({ a: ['', ''], b: ['', ''] })
  await commands.publish('b', 'news')
  await expect.poll(() => heard).toEqual({ a: ['', ''], b: ['', '', 'news'] })
  hub.close()
})

/** A promise that nobody has would fail the whole run, as it would end a process. */
test('whoever closes as Redis comes back and is lost again leaves nothing under way', async () => {
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
    await expect.poll(() => subscriber.status).toBe('end')
    await redis.restart('lost')
    await whenReady(commands)
  }
  commands.disconnect()
})
