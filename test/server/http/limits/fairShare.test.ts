import { expect, test } from 'vitest'
import { createFairShare } from '../../../../src/server/http/limits/fairShare.ts'

function fill(share: ReturnType<typeof createFairShare>, client: string): number {
  let count = 0
  for (; share.refusalOf(client) === null; count++) share.enter(client)
  return count
}

test('twenty clients that take all they can leave room for all others', () => {
  const share = createFairShare({ perClient: 1_000, inAll: 20_000 })
  // A fixed bound of 1,000 would let these twenty take everything.
  for (let round = 0; round < 20; round++)
    for (let n = 0; n < 20; n++)
      for (let i = 0; i < 50 && share.refusalOf(`hostile-${n}`) === null; i++) share.enter(`hostile-${n}`)
  for (let n = 0; n < 20; n++) fill(share, `hostile-${n}`)
  expect(20_000 - share.size).toBeGreaterThan(3_000)
  for (let n = 0; n < 1_000; n++) {
    expect(share.refusalOf(`fan-${n}`)).toBeNull()
    share.enter(`fan-${n}`)
  }
})

test('a client alone has its whole number, and gets it back when it leaves', () => {
  const share = createFairShare({ perClient: 10, inAll: 1_000 })
  expect(fill(share, 'ana')).toBe(10)
  expect(share.refusalOf('ana')).toBe('client')
  expect(share.refusalOf('bob')).toBeNull()
  share.leave('ana')
  expect(share.refusalOf('ana')).toBeNull()
  expect(share.of('ana')).toBe(9)
})

test('the whole is bounded too, also for clients that do not count alone', () => {
  const share = createFairShare({ perClient: 10, inAll: 3 })
  for (const client of ['ana', null, 'bob']) {
    expect(share.refusalOf(client)).toBeNull()
    share.enter(client)
  }
  expect([share.refusalOf('eve'), share.refusalOf(null)]).toEqual(['all', 'all'])
  share.leave(null)
  expect(share.refusalOf('eve')).toBeNull()
  // A client that has one already leaves the last one to others.
  expect(share.refusalOf('ana')).toBe('client')
})
