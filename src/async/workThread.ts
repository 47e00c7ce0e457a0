import type { Transferable, Worker } from 'node:worker_threads'

/** A thread that does pieces of work one after the other: the event loop of the process goes on meanwhile. */
export interface WorkThread<Work, Value> {
  /**
   * Resolves with the thread's answer. Throws `refusal()` where too much work waits, and an error where the thread answered with
   * one, ended or hung.
   */
  run(work: Work, transferred?: readonly Transferable[]): Promise<Value>
  /** Ends the thread. The work under way and the work that waits fail. */
  close(): void
}

export interface WorkThreadOptions {
  start(): Worker
  /** Completes the sentence "the thread that …", such as "makes documents". */
  purpose: string
  mostWaiting: number
  refusal(): Error
  /** A piece of work takes far less. A thread that takes longer hangs, and is replaced. */
  patienceMs: number
  /** An idle thread gives its memory back after this time. */
  idleMs: number
}

/** The message with which a thread answers each piece of work, in order. */
export type ThreadAnswer<Value> = { readonly value: Value } | { readonly error: string }

interface Waiting<Work, Value> {
  readonly work: Work
  readonly transferred: readonly Transferable[]
  resolve(value: Value): void
  reject(error: Error): void
}

export function createWorkThread<Work, Value>({
  start,
  purpose,
  mostWaiting,
  refusal,
  patienceMs,
  idleMs,
}: WorkThreadOptions): WorkThread<Work, Value> {
  const waiting: Waiting<Work, Value>[] = []
  let current: Waiting<Work, Value> | undefined
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined

  function open(): Worker {
    const opened = start()
    // A process that stops does not wait for the thread.
    opened.unref()
    opened.on('message', (answer: ThreadAnswer<Value>) => {
      if (opened !== thread) return
      const done = take()
      if ('error' in answer) done?.reject(new Error(answer.error))
      else done?.resolve(answer.value)
      next()
    })
    const fail = (error: Error) => {
      if (opened === thread) drop(error)
    }
    opened.once('error', fail)
    opened.once('exit', () => fail(new Error(`the thread that ${purpose} ended`)))
    return opened
  }

  function take() {
    const done = current
    current = undefined
    clearTimeout(timer)
    return done
  }

  /** Ends the thread. The work under way fails; the next piece gets a new thread. */
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
      timer = setTimeout(() => drop(new Error(`the thread that ${purpose} hung`)), patienceMs)
      thread.postMessage(current.work, current.transferred)
    } else if (thread) timer = setTimeout(endIdle, idleMs)
    timer?.unref()
  }

  function endIdle() {
    const idle = thread
    thread = undefined
    void idle?.terminate()
  }

  return {
    run(work, transferred = []) {
      if (waiting.length >= mostWaiting) return Promise.reject(refusal())
      return new Promise((resolve, reject) => {
        waiting.push({ work, transferred, resolve, reject })
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
