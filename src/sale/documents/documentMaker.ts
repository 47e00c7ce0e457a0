import { Worker } from 'node:worker_threads'
import { createWorkThread } from '../../async/workThread.ts'
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

export function createDocumentMaker({
  mostWaiting = 200,
  patienceMs = 20_000,
  idleMs = 60_000,
  start = () => new Worker(new URL('./documentThread.ts', import.meta.url)),
}: DocumentMakerOptions = {}): DocumentMaker {
  const thread = createWorkThread<DocumentWork, Uint8Array>({
    ...{ start, mostWaiting, patienceMs, idleMs },
    purpose: 'makes documents',
    refusal: () => overloaded(1 + 2 * Math.random()),
  })
  return {
    async make(work) {
      const file = await thread.run(work)
      return Buffer.from(file.buffer as ArrayBuffer)
    },
    close: thread.close,
  }
}
