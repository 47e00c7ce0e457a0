import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { BODY_BUDGET, createBodyBudget } from '../../../../src/server/http/limits/bodyBudget.ts'
import { testServer } from '../../../support/server.ts'

const MB = 1_024 * 1_024
const { url, ask, token } = await testServer()

/** Sends `sent` bytes of a body that never ends. Resolves with the status line of an answer, or null for none so far. */
function halfSent(authorization: string | null, declared: number, sent: number) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  const bearer = authorization ? `authorization: Bearer ${authorization}\r\n` : ''
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${bearer}content-length: ${declared}\r\n\r\n`,
  )
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  let isSent = false
  socket.write(' '.repeat(sent), () => {
    isSent = true
  })
  return { socket, answer: () => answer.slice(0, 12), isSent: () => isSent }
}

/** Waits until so many bodies are refused. Returns the number of the others, which wait for their rest. */
async function waitingBeside(refused: number, bodies: ReturnType<typeof halfSent>[]) {
  // A refusal closes the connection in the middle of the body; the answer may be lost with it.
  const isRefused = ({ socket, answer }: ReturnType<typeof halfSent>) =>
    socket.destroyed || answer() === 'HTTP/1.1 503'
  await expect.poll(() => bodies.filter(isRefused).length, { timeout: 30_000 }).toBe(refused)
  await expect
    .poll(() => bodies.every((body) => isRefused(body) || body.isSent()), { timeout: 30_000 })
    .toBe(true)
  return bodies.filter((body) => !isRefused(body)).length
}

test('unfinished bodies of organizers take a bounded number of bytes, of one account and in all', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 4 }, (_, n) => token(`org${n}`, { roles: ['organizer'] })),
  )
  const large = 31 * MB
  const ofOne = Array.from({ length: 6 }, () => halfSent(tokens[0] as string, 32 * MB, large))
  expect(await waitingBeside(4, ofOne)).toBe(2)
  const ofOthers = tokens.slice(1).map((of) => halfSent(of, 32 * MB, large))
  expect(await waitingBeside(1, ofOthers)).toBe(2)
  // Other callers are served.
  expect((await ask('{ viewer { accountId } }')).data).toEqual({ viewer: null })
  for (const { socket } of [...ofOne, ...ofOthers]) socket.destroy()
  // The budget is whole again.
  const again = [0, 1].map(() => halfSent(tokens[0] as string, 32 * MB, large))
  expect(await waitingBeside(0, again)).toBe(2)
  for (const { socket } of again) socket.destroy()
})

test('unfinished bodies of one address are bounded too, and short bodies are always read', async () => {
  const bodies = Array.from({ length: 25 }, () => halfSent(null, 256 * 1_024, 255 * 1_024))
  const most = Math.floor(BODY_BUDGET.others.perSender / (255 * 1_024 - BODY_BUDGET.freeBytes))
  expect(await waitingBeside(25 - most, bodies)).toBe(most)
  expect((await ask(`{ viewer { accountId } } # ${'x'.repeat(10_000)}`)).data).toEqual({ viewer: null })
  for (const { socket } of bodies) socket.destroy()
})

test('the budget counts what is beyond the free bytes, until the request is answered', () => {
  const budget = createBodyBudget({
    freeBytes: 10,
    organizers: { perSender: 20, inAll: 30 },
    others: { perSender: 5, inAll: 5 },
  })
  const leases = ['ana', 'ana', 'ben', 'eve'].map((account) => budget.begin('organizers', account))
  const [first, second, third, fourth] = leases as [(typeof leases)[0], ...typeof leases]
  first.take(8)
  expect(budget.bytes).toBe(0)
  first.take(17)
  expect(budget.bytes).toBe(15)
  expect(() => second?.take(16)).toThrow('Too busy')
  third?.take(25)
  expect(() => fourth?.take(11)).toThrow('Too busy')
  budget.begin('others', '192.0.2.1').take(15)
  expect(budget.bytes).toBe(35)
  for (const lease of leases) lease.end()
  first.end()
  expect(budget.bytes).toBe(5)
})
