import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createPdfMaker, type PdfMakerOptions } from '../../../src/sale/documents/pdfMaker.ts'
import type { TicketSheet } from '../../../src/sale/documents/ticketSheet.ts'
import { cleanUp } from '../../support/cleanUp.ts'

const sheet = (title: string) => ({ title }) as TicketSheet

/** A thread that does what the title of its sheet says: hang, exit, throw; else it answers with the title. */
const SCRIPT = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ title }) => {
    if (title === 'hang') for (;;);
    if (title === 'exit') process.exit(1)
    if (title === 'throw') throw new Error('thrown')
    if (title === 'refuse') return parentPort.postMessage({ error: 'refused' })
    parentPort.postMessage({ pdf: Uint8Array.from(Buffer.from(title)) })
  })`

function testMaker(options: PdfMakerOptions = {}) {
  let started = 0
  const maker = createPdfMaker({
    ...options,
    start() {
      started++
      return new Worker(SCRIPT, { eval: true })
    },
  })
  cleanUp(() => maker.close())
  return { ...maker, started: () => started }
}

test('files are made one after the other, by one thread', async () => {
  const maker = testMaker()
  const made = await Promise.all(['a', 'b', 'c'].map((title) => maker.make(sheet(title))))
  expect(made.map(String)).toEqual(['a', 'b', 'c'])
  expect(maker.started()).toBe(1)
})

test.each([
  ['hang', 'hung'],
  ['exit', 'ended'],
  ['throw', 'thrown'],
])(
  'a thread that fails (%s) loses one file, and another thread makes the next one',
  async (title, message) => {
    const maker = testMaker({ patienceMs: title === 'hang' ? 200 : 20_000 })
    const [failed, next] = await Promise.allSettled([maker.make(sheet(title)), maker.make(sheet('next'))])
    expect(failed).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining(message) },
    })
    expect(next).toMatchObject({ status: 'fulfilled', value: Buffer.from('next') })
    expect(maker.started()).toBe(2)
  },
)

test('a sheet that cannot be set fails alone', async () => {
  const maker = testMaker()
  await expect(maker.make(sheet('refuse'))).rejects.toThrow('refused')
  expect(String(await maker.make(sheet('next')))).toBe('next')
  expect(maker.started()).toBe(1)
})

test('a process refuses files at once where too many wait, and gives up those that wait when it stops', async () => {
  const maker = testMaker({ mostWaiting: 1 })
  const waiting = Promise.allSettled([maker.make(sheet('hang')), maker.make(sheet('a'))])
  await expect(maker.make(sheet('b'))).rejects.toMatchObject({ code: 'OVERLOADED' })
  maker.close()
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
