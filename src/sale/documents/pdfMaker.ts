import { Worker } from 'node:worker_threads'
import { overloaded } from '../faults.ts'
import type { TicketSheet } from './ticketSheet.ts'

/** Makes the files of tickets, one after the other, on a thread of its own: the event loop of the process goes on meanwhile. */
export interface PdfMaker {
  /** Throws OVERLOADED where too many files are waiting, and an error where the sheet could not be set. */
  make(sheet: TicketSheet): Promise<Buffer>
  close(): void
}

export interface PdfMakerOptions {
  /** Files that wait. Each takes some 20 ms. */
  mostWaiting?: number
  /** A file takes far less. A thread that takes longer hangs, and is replaced. */
  patienceMs?: number
  /** An idle thread gives its memory back after this time: the fonts take some 60 MB. */
  idleMs?: number
  start?(): Worker
}

interface Waiting {
  readonly sheet: TicketSheet
  resolve(pdf: Buffer): void
  reject(error: Error): void
}

type Answer = { pdf: Uint8Array; error?: undefined } | { error: string }

export function createPdfMaker({
  mostWaiting = 200,
  patienceMs = 20_000,
  idleMs = 60_000,
  start = () => new Worker(new URL('./pdfThread.ts', import.meta.url)),
}: PdfMakerOptions = {}): PdfMaker {
  const waiting: Waiting[] = []
  let current: Waiting | undefined
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined

  function open(): Worker {
    const opened = start()
    // A process that stops does not wait for the thread.
    opened.unref()
    opened.on('message', (answer: Answer) => {
      if (opened !== thread) return
      const done = take()
      if (answer.error === undefined) done?.resolve(Buffer.from(answer.pdf.buffer as ArrayBuffer))
      else done?.reject(new Error(answer.error))
      next()
    })
    const fail = (error: Error) => {
      if (opened === thread) drop(error)
    }
    opened.once('error', fail)
    opened.once('exit', () => fail(new Error('the thread that makes PDF files ended')))
    return opened
  }

  function take(): Waiting | undefined {
    const done = current
    current = undefined
    clearTimeout(timer)
    return done
  }

  /** Ends the thread. The file that it was making fails; the next one gets a new thread. */
  function drop(error: Error) {
    const ended = thread
    thread = undefined
    void ended?.terminate()
    take()?.reject(error)
    next()
  }

  function next() {
    if (current) return
    current = waiting.shift()
    clearTimeout(timer)
    if (current) {
      thread ??= open()
      timer = setTimeout(() => drop(new Error('the thread that makes PDF files hung')), patienceMs)
      thread.postMessage(current.sheet)
    } else if (thread) timer = setTimeout(endIdle, idleMs)
    timer?.unref()
  }

  function endIdle() {
    const idle = thread
    thread = undefined
    void idle?.terminate()
  }

  return {
    make(sheet) {
      if (waiting.length >= mostWaiting) return Promise.reject(overloaded(1 + 2 * Math.random()))
      return new Promise((resolve, reject) => {
        waiting.push({ sheet, resolve, reject })
        next()
      })
    },
    close() {
      const error = new Error('the process stops')
      for (const { reject } of waiting.splice(0)) reject(error)
      drop(error)
    },
  }
}
