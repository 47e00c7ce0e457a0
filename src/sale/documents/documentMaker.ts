import { Worker } from 'node:worker_threads'
import { overloaded } from '../faults.ts'
import type { PassSheet } from './pass.ts'
import type { TicketSheet } from './ticketSheet.ts'
import type { WalletCertificates } from './wallet.ts'

/** The tickets of an order as PDF, or one ticket as a pass. */
export type DocumentWork =
  | { readonly kind: 'tickets'; readonly sheet: TicketSheet }
  | { readonly kind: 'pass'; readonly pass: PassSheet; readonly certificates: WalletCertificates }

/** Makes documents, one after the other, on a thread of its own: the event loop of the process goes on meanwhile. */
export interface DocumentMaker {
  /** Throws OVERLOADED where too many files are waiting, and an error where the document could not be made. */
  make(work: DocumentWork): Promise<Buffer>
  close(): void
}

export interface DocumentMakerOptions {
  /** Files that wait. Each takes some 11 ms (`bench/ticketPdf.ts`). */
  mostWaiting?: number
  /** A file takes far less. A thread that takes longer hangs, and is replaced. */
  patienceMs?: number
  /** An idle thread gives its memory back after this time: with the fonts some 100 MB. */
  idleMs?: number
  start?(): Worker
}

interface Waiting {
  readonly work: DocumentWork
  resolve(file: Buffer): void
  reject(error: Error): void
}

type Answer = { file: Uint8Array; error?: undefined } | { error: string }

export function createDocumentMaker({
  mostWaiting = 200,
  patienceMs = 20_000,
  idleMs = 60_000,
  start = () => new Worker(new URL('./documentThread.ts', import.meta.url)),
}: DocumentMakerOptions = {}): DocumentMaker {
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
      if (answer.error === undefined) done?.resolve(Buffer.from(answer.file.buffer as ArrayBuffer))
      else done?.reject(new Error(answer.error))
      next()
    })
    const fail = (error: Error) => {
      if (opened === thread) drop(error)
    }
    opened.once('error', fail)
    opened.once('exit', () => fail(new Error('the thread that makes documents ended')))
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
      timer = setTimeout(() => drop(new Error('the thread that makes documents hung')), patienceMs)
      thread.postMessage(current.work)
    } else if (thread) timer = setTimeout(endIdle, idleMs)
    timer?.unref()
  }

  function endIdle() {
    const idle = thread
    thread = undefined
    void idle?.terminate()
  }

  return {
    make(work) {
      if (waiting.length >= mostWaiting) return Promise.reject(overloaded(1 + 2 * Math.random()))
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject })
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
