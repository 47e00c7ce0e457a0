import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchAdmission } from '../../src/resolvers/admission.ts'
import { until } from '../../src/resolvers/request/broadcast.ts'
import type { Context } from '../../src/resolvers/request/context.ts'
import type { AdmissionClaims } from '../../src/sale/admission/admissions.ts'

/** A sale whose waiting room admits no caller, and the number of its reads. */
function saleWithoutAdmission() {
  let asked = 0
  const context = {
    app: {
      clock: { now: async () => new Date() },
      sales: {
        fresh: () => null,
        async find() {
          asked++
          return { waitingRoom: true }
        },
      },
      admissions: { check: async () => null, onChange: () => () => {} },
    },
    admissionTokenFor: () => null,
  } as unknown as Context
  return { context, asked: () => asked }
}

const admission: AdmissionClaims = {
  eventId: 'evt_x',
  accountId: 'ana',
  device: new Uint8Array(8),
  arrival: 1,
  place: 1,
  expiresAt: new Date(),
}

const valuesThat = (next: () => Promise<IteratorResult<number>>): AsyncIterable<number> => ({
  [Symbol.asyncIterator]: () => ({ next }),
})

test('an error in the values ends the watch over the admission', async () => {
  const { context, asked } = saleWithoutAdmission()
  const values = until(
    watchAdmission(context, admission),
    valuesThat(() => Promise.reject(new Error('gone'))),
  )
  await expect(values[Symbol.asyncIterator]().next()).rejects.toThrow('gone')
  await sleep(1_500)
  expect(asked()).toBe(0)
})

test('a subscriber that leaves before the first read of the clock is not watched', async () => {
  const { context, asked } = saleWithoutAdmission()
  const { promise, reject } = Promise.withResolvers<Date>()
  context.app.clock.now = () => promise
  const values = until(
    watchAdmission(context, admission),
    valuesThat(() => new Promise(() => {})),
  )
  await values[Symbol.asyncIterator]().return?.()
  reject(new Error('the database is away'))
  await sleep(1_500)
  expect(asked()).toBe(0)
})
