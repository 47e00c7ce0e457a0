import { parentPort } from 'node:worker_threads'
import { yieldCoresToServingThreads } from '../../async/threadPriority.ts'
import type { ThreadAnswer } from '../../async/workThread.ts'
import type { DocumentWork } from './documentMaker.ts'
import { makePass } from './pass.ts'
import { createTypst } from './typst.ts'

// The thread that makes documents: see documentMaker.ts. It answers each piece of work with a file or an error, in order.
yieldCoresToServingThreads()
let typst: ReturnType<typeof createTypst> | undefined

function make(work: DocumentWork): Buffer {
  if (work.kind === 'pass') return makePass(work.pass, work.certificates)
  typst ??= createTypst()
  return typst(work.sheet)
}

parentPort?.on('message', (work: DocumentWork) => {
  try {
    const value = Uint8Array.from(make(work))
    parentPort?.postMessage({ value } satisfies ThreadAnswer<Uint8Array>, [value.buffer])
  } catch (error) {
    parentPort?.postMessage({ error: (error as Error).message })
  }
})
