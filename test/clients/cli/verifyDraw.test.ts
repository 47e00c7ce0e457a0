import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { fairgate } from '../../support/cli.ts'
import { DRAW_VECTORS, type DrawVector } from '../../support/drawVectors.ts'
import { insertEvent } from '../../support/event.ts'
import { testServer } from '../../support/server.ts'

const flagsOf = ({ eventId, seed, commitment, size, beacon }: DrawVector) => {
  const flags = ['--event', eventId, '--seed', seed, '--commitment', commitment, '--size', String(size)]
  return beacon === '' ? flags : [...flags, '--beacon', beacon]
}

const [plain, mixed] = DRAW_VECTORS as [DrawVector, DrawVector]

test('the command confirms a place from the flags alone', async () => {
  expect(await fairgate('verify-draw', ...flagsOf(plain), '--arrival', '3', '--place', '5')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Right: arrival 3 of evt_test has, as it should, place 5 of 10 drawn/),
  })
  expect(await fairgate('verify-draw', ...flagsOf(mixed), '--arrival', '10')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/has place 1 of 13[\s\S]*drand:8f1c0a/),
  })
})

test.each<[string, string[], number, RegExp]>([
  ['another place', [...flagsOf(plain), '--arrival', '3', '--place', '6'], 4, /has place 5, not 6/],
  [
    'a late arrival',
    [...flagsOf(plain), '--arrival', '11', '--place', '11'],
    3,
    /LATE: the draw of evt_test had 10 fans.*place is 11/,
  ],
  [
    'a late arrival with another place',
    [...flagsOf(plain), '--arrival', '11', '--place', '3'],
    4,
    /has place 11, not 3/,
  ],
  [
    'a seed that does not match the commitment',
    [...flagsOf({ ...plain, seed: mixed.seed }), '--arrival', '3', '--place', '5'],
    2,
    /the seed does not match the commitment/,
  ],
  ['a missing beacon', [...flagsOf({ ...mixed, beacon: '' }), '--arrival', '10', '--place', '1'], 4, /not 1/],
])('%s has an exit code of its own', async (_, args, code, message) => {
  expect(await fairgate('verify-draw', ...args)).toMatchObject({ code, out: expect.stringMatching(message) })
})

test.each<[string, string[], RegExp]>([
  ['no arrival', flagsOf(plain), /--arrival is missing/],
  ['half a draw', ['--event', 'evt_test', '--arrival', '1'], /--seed, --commitment, --size missing/],
  ['no number', [...flagsOf(plain), '--arrival', '3x'], /--arrival must be a whole number/],
  [
    'no seed',
    [...flagsOf({ ...plain, seed: 'abc' }), '--arrival', '3'],
    /--seed must be 64 hexadecimal digits/,
  ],
  ['an unknown flag', ['--arrivals', '3'], /Unknown option '--arrivals'/],
  ['a server that does not answer', ['http://127.0.0.1:1/', '--arrival', '3'], /cannot be read/],
  [
    'a server beside an address',
    ['http://127.0.0.1:1/', '--server', 'http://x', '--arrival', '3'],
    /whole address/,
  ],
  [
    'a server that would not be called',
    [...flagsOf(plain), '--server', 'http://x', '--arrival', '3'],
    /no server is called/,
  ],
])('%s is reported in one sentence', async (_, args, message) => {
  const { code, err } = await fairgate('verify-draw', ...args)
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  expect(err.trim().split('\n')).toHaveLength(1)
})

test.each([{ seed: plain.seed, size: 4, beacon: '' }, { seed: null }, 'soon'])(
  'a server that publishes no commitment is reported in one sentence: %j',
  async (draw) => {
    const server = createServer((_, response) => {
      response.end(JSON.stringify({ eventId: 'evt_test', waitingRoom: { draw } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { code, err } = await fairgate('verify-draw', `http://127.0.0.1:${port}/`, '--arrival', '3')
    server.close()
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/without its commitment/) })
    expect(err.trim().split('\n')).toHaveLength(1)
  },
)

test('every command has a help text', async () => {
  expect(await fairgate()).toMatchObject({ code: 0, out: expect.stringMatching(/verify-draw/) })
  expect(await fairgate('verify-draw', '--help')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Exit codes/),
  })
  expect(await fairgate('nonsense')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no command nonsense/),
  })
})

test('the command reads the public state of a running server before and after the draw', async () => {
  const { url, db, ask, token } = await testServer()
  const event = await insertEvent(db, { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 60 })
  const ana = { token: await token('ana', { emailVerified: true }), device: 'phone' }
  const JOIN = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) {
    __typename ... on QueuePosition { arrival queueToken state } } }`
  const { data } = await ask(JOIN, { id: event.id }, ana)
  expect(data.joinQueue).toMatchObject({ state: 'PRE_QUEUE', arrival: 1 })
  const address = `${url}/events/${event.id}/waiting-room.json`
  const published = async () =>
    (await (await fetch(address)).json()) as { waitingRoom: { draw: { commitment: string } } }
  const { commitment } = (await published()).waitingRoom.draw
  expect(await fairgate('verify-draw', address, '--arrival', '1')).toMatchObject({
    code: 5,
    out: expect.stringMatching(/has no draw yet/),
  })

  await db.sql("update sales set opens_at = now() - interval '1 ms' where event_id = $1", [event.id])
  await db.sql("update rooms set opens_at = now() - interval '1 ms' where event_id = $1", [event.id])
  const POSITION = 'query ($token: String!) { queuePosition(queueToken: $token) { place } }'
  const place = async () =>
    (await ask(POSITION, { token: data.joinQueue.queueToken }, ana)).data.queuePosition.place
  await expect.poll(place, { timeout: 20_000 }).toBe(1)
  await expect
    .poll(published, { timeout: 20_000 })
    .toMatchObject({ waitingRoom: { draw: { size: 1, seed: expect.any(String) } } })

  const noted = ['--arrival', '1', '--place', '1', '--commitment', commitment]
  expect(await fairgate('verify-draw', address, ...noted)).toMatchObject({ code: 0 })
  expect(await fairgate('verify-draw', event.id, '--server', url, ...noted)).toMatchObject({ code: 0 })
  expect(await fairgate('verify-draw', event.id, '--server', url, '--arrival', '2')).toMatchObject({
    code: 3,
  })
  const other = [...noted.slice(0, -1), plain.commitment]
  expect(await fairgate('verify-draw', address, ...other)).toMatchObject({
    code: 2,
    out: expect.stringMatching(/not the one you noted/),
  })
  expect(await fairgate('verify-draw', 'evt_nothere', '--server', url, '--arrival', '1')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no such event/),
  })
})

test('a draw with public randomness is compared with every value that was noted before', async () => {
  const { app, url, db, ask, token } = await testServer()
  const beaconSource = 'drand, round 4711'
  const event = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 60,
    beaconSource,
  })
  const fans = []
  for (const name of ['ana', 'bob', 'cid', 'dot', 'eve']) {
    const who = { token: await token(name), device: name }
    const { data } = await ask(
      `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { arrival queueToken } } }`,
      { id: event.id },
      who,
    )
    fans.push({ who, ...data.joinQueue })
  }
  for (const table of ['sales', 'rooms'])
    await db.sql(`update ${table} set opens_at = now() - interval '1 ms' where event_id = $1`, [event.id])
  await app.sales.refresh(event.id)
  await app.pacer.tick(event.id)
  const address = `${url}/events/${event.id}/waiting-room.json`
  const draw = async () =>
    ((await (await fetch(address)).json()) as { waitingRoom: { draw: DrawVector } }).waitingRoom.draw
  await expect
    .poll(draw, { timeout: 20_000 })
    .toMatchObject({ size: 5, seed: null, beacon: '', beaconSource })
  const { commitment } = await draw()
  const check = (...flags: string[]) => fairgate('verify-draw', address, '--arrival', '2', ...flags)
  expect(await check('--size', '5', '--beacon', '8f1c0a')).toEqual({
    code: 5,
    out: `${event.id} has no draw yet. The line is frozen with 5 fans and waits for: ${beaconSource}.\n`,
    err: '',
  })
  expect(await check('--size', '4')).toMatchObject({ code: 2, out: expect.stringMatching(/the size is not/) })

  await app.waitingRoom.revealBeacon(event.id, '8f1c0a')
  await expect.poll(draw, { timeout: 20_000 }).toMatchObject({ beacon: '8f1c0a', seed: expect.any(String) })
  const { seed } = await draw()
  const noted = [
    '--event',
    event.id,
    '--commitment',
    commitment,
    '--size',
    '5',
    '--seed',
    seed,
    '--beacon',
    '8f1c0a',
  ]
  for (const { who, queueToken, arrival } of fans) {
    const POSITION = 'query ($token: String!) { queuePosition(queueToken: $token) { place } }'
    const place = async () => (await ask(POSITION, { token: queueToken }, who)).data.queuePosition.place
    await expect.poll(place, { timeout: 20_000 }).not.toBeNull()
    const flags = ['--arrival', String(arrival), '--place', String(await place())]
    // From the address, or from the noted values alone.
    const given = arrival === 1 ? noted : [address, ...noted]
    expect(await fairgate('verify-draw', ...given, ...flags)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/of 5 drawn[\s\S]*Beacon: 8f1c0a.* that source\.\n$/),
    })
  }
  expect((await check()).out).toContain(
    `from: ${beaconSource}). Compare it with that source.\n  Also check that this size`,
  )
  for (const [flag, other, name] of [
    ['--event', 'evt_test', 'event id'],
    ['--commitment', plain.commitment, 'commitment'],
    ['--seed', plain.seed, 'seed'],
    ['--size', '6', 'size'],
    ['--beacon', '8f1c0b', 'beacon'],
  ] as const)
    expect(await check(flag, other)).toEqual({
      code: 2,
      out: expect.stringContaining(`WRONG: the ${name} is not the one you noted.\n  noted      ${other}\n`),
      err: '',
    })
})
