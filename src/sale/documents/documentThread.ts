import { parentPort } from 'node:worker_threads'
import { yieldCoresToServingThreads } from '../../async/threadPriority.ts'
import type { ThreadAnswer } from '../../async/workThread.ts'
import type { DocumentWork } from './documentMaker.ts'
import type { TicketSheet } from './ticketSheet.ts'

// The thread that makes documents: see documentMaker.ts, which sends the next piece of work once this one is answered, with a
// file or an error. The libraries of a kind are loaded for its first document.
yieldCoresToServingThreads()
let typst: Promise<(sheet: TicketSheet) => Buffer> | undefined

async function make(work: DocumentWork): Promise<Buffer> {
  if (work.kind === 'pass') {
    const { makePass } = await import('./pass.ts')
    return makePass(work.pass, work.certificates)
  }
  typst ??= import('./typst.ts').then(({ createTypst }) => createTypst())
  return (await typst)(work.sheet)
}

parentPort?.on('message', async (work: DocumentWork) => {
  try {
    const value = Uint8Array.from(await make(work))
    parentPort?.postMessage({ value } satisfies ThreadAnswer<Uint8Array>, [value.buffer])
  } catch (error) {
    parentPort?.postMessage({ error: (error as Error).message })
  }
})
