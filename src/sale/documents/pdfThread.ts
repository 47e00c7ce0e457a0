import { parentPort } from 'node:worker_threads'
import { yieldCoresToServingThreads } from '../../async/threadPriority.ts'
import type { TicketSheet } from './ticketSheet.ts'
import { createTypst } from './typst.ts'

// The thread that sets tickets: see pdfMaker.ts. It answers each sheet with a file or an error, in order.
yieldCoresToServingThreads()
const toPdf = createTypst()
parentPort?.on('message', (sheet: TicketSheet) => {
  try {
    const pdf = Uint8Array.from(toPdf(sheet))
    parentPort?.postMessage({ pdf }, [pdf.buffer])
  } catch (error) {
    parentPort?.postMessage({ error: (error as Error).message })
  }
})
