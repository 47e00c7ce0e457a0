import { createECDH } from 'node:crypto'
import { lookup } from 'node:dns'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isPublicAddress } from '../../src/addresses.ts'
import { importKeys, makeKeys } from '../../src/keys.ts'
import { isPushEndpoint, lookUpPublic } from '../../src/push/endpoint.ts'
import { createPush } from '../../src/push/push.ts'
import { pushService, testBrowser } from '../support/pushService.ts'

const file = await makeKeys()
const keys = await importKeys(file)
const key = keys.push[0]?.kid as string
const message = { payload: '{}', topic: 'turn', ttlSeconds: 60 }

test.each([
  'http://push.example.com/a',
  'https://push.example.com:8443/a',
  'https://user:password@push.example.com/a',
  'https://10.0.0.1/a',
  'https://[::1]/a',
  'https://[::ffff:169.254.169.254]/a',
  'https://0x7f000001/a',
  'https://2130706433/a',
  'https://localhost/a',
  'https://push.localhost/a',
  'https://redis/a',
  `https://push.example.com/${'a'.repeat(1_000)}`,
  'no address',
])('%s is no endpoint', (endpoint) => {
  expect(isPushEndpoint(endpoint)).toBe(false)
})

test('the addresses of the push services that browsers have are endpoints', () => {
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/abc:def',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAA',
    'https://web.push.apple.com/QABC',
    'https://wns2-par02p.notify.windows.com/w/?token=BQYA',
  ])
    expect(isPushEndpoint(endpoint)).toBe(true)
})

test('only hosts of the internet have public addresses', () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, false])
  for (const address of [
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, false])
  expect(['8.8.8.8', '2606:4700::1111'].map(isPublicAddress)).toEqual([true, true])
})

test('a name that leads to this machine is not connected to, and the reason names no address', async () => {
  const found = await promisify(lookup)('localhost')
  expect(isPublicAddress(found.address)).toBe(false)
  const failure = await new Promise<Error | null>((done) =>
    lookUpPublic('localhost', { all: true }, (error) => done(error)),
  )
  expect(failure?.message).toBe('the host of the push service has no public address')
})

test('a message reaches the browser with a valid signature of the first key; a dropped key ends the subscription', async () => {
  const service = await pushService()
  const push = createPush({ keys, contact: 'tickets@example.com', agent: service.agent })
  const browser = testBrowser(key)
  expect(await push.send(browser.subscription, { ...message, payload: '{"title":"now"}' })).toEqual({
    state: 'sent',
  })
  const [received] = service.received as [(typeof service.received)[0]]
  expect(browser.read(received)).toEqual({ title: 'now' })
  expect(received.headers.authorization).toContain(keys.push[0]?.publicKey)
  expect(await push.send({ ...browser.subscription, key: 'dropped' }, message)).toEqual({ state: 'gone' })
})

test('a push service that is away got nothing, so that the message can be sent again', async () => {
  const { agent, close } = await pushService()
  await close()
  const push = createPush({ keys, contact: 'tickets@example.com', agent })
  expect(await push.send(testBrowser(key).subscription, message)).toMatchObject({
    state: 'failed',
    reason: 'ECONNREFUSED',
  })
})

test('a file of keys from before web push has none; a key of another length is refused', async () => {
  const { push: _, ...old } = file
  expect((await importKeys(old)).push).toEqual([])
  await expect(importKeys({ ...old, push: [{ kid: 'a', d: 'AAAA' }] })).rejects.toThrow(
    'push: key a is not 32 bytes',
  )
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(file.push?.[0]?.d as string, 'base64url'))
  expect(pair.getPublicKey('base64url')).toBe(keys.push[0]?.publicKey)
})
