import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import {
  createDocumentMaker,
  type DocumentMakerOptions,
  type DocumentWork,
} from '../../../src/sale/documents/documentMaker.ts'
import type { TicketSheet } from '../../../src/sale/documents/ticketSheet.ts'
import { cleanUp } from '../../support/cleanUp.ts'

const sheet = (title: string): DocumentWork => ({ kind: 'tickets', sheet: { title } as TicketSheet })

/** A thread that does what the title of its sheet says: hang, exit, throw; else it answers with the title. */
const SCRIPT = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ sheet: { title } }) => {
    if (title === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (title === 'exit') process.exit(1)
    if (title === 'throw') throw new Error('thrown')
    if (title === 'refuse') return parentPort.postMessage({ error: 'refused' })
    parentPort.postMessage({ value: Uint8Array.from(Buffer.from(title)) })
  })`

function testMaker(options: DocumentMakerOptions = {}) {
  const threads: Worker[] = []
  const maker = createDocumentMaker({
    ...options,
    start() {
      const thread = new Worker(SCRIPT, { eval: true })
      threads.push(thread)
      return thread
    },
  })
  cleanUp(() => maker.close())
  return { ...maker, threads }
}

test('files are made one after the other, by one thread', async () => {
  const maker = testMaker()
  const made = await Promise.all(['a', 'b', 'c'].map((title) => maker.make(sheet(title))))
  expect(made.map(String)).toEqual(['a', 'b', 'c'])
  expect(maker.threads.length).toBe(1)
})

test.each([
  ['hang', 'hung'],
  ['exit', 'ended'],
  ['throw', 'thrown'],
])(
  'a thread that fails (%s) loses one file, and another thread makes the next one',
  async (title, message) => {
    const isHang = title === 'hang'
    if (isHang) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const maker = testMaker({ patienceMs: 20_000 })
    const both = Promise.allSettled([maker.make(sheet(title)), maker.make(sheet('next'))])
    if (isHang) vi.advanceTimersByTime(20_000)
    vi.useRealTimers()
    const [failed, next] = await both
    expect(failed).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining(message) },
    })
    expect(next).toMatchObject({ status: 'fulfilled', value: Buffer.from('next') })
    expect(maker.threads.length).toBe(2)
  },
)

test('a sheet that cannot be set fails alone', async () => {
  const maker = testMaker()
  await expect(maker.make(sheet('refuse'))).rejects.toThrow('refused')
  expect(String(await maker.make(sheet('next')))).toBe('next')
  expect(maker.threads.length).toBe(1)
})

test('a process refuses files at once where too many wait, and gives up those that wait when it stops', async () => {
  const maker = testMaker({ mostWaiting: 1 })
  const waiting = Promise.allSettled([maker.make(sheet('hang')), maker.make(sheet('a'))])
  await expect(maker.make(sheet('b'))).rejects.toMatchObject({ code: 'OVERLOADED' })
  maker.close()
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
