import type { Piece } from './kit.ts'

/** A piece that takes this long hangs. It fails, or it would block its place and its subject for good. */
const HUNG_MS = 300_000

export interface FailedPiece {
  readonly subject: string
  readonly error: unknown
}

export interface Pieces {
  /**
   * Does pieces of work in the order in which they were found. Leaves out a piece whose subject waits or runs already, so a
   * subject has one place at most, however slow it is. Resolves when the others are done.
   */
  add(pieces: readonly Piece[]): { started: number; done: Promise<FailedPiece[]> }
  /** The number of pieces that run. */
  running(): number
  /** Starts no further piece. The next run of another process finds those that wait. */
  stop(): void
}

/** The pieces of one job in this process, `limit` at once. */
export function createPieces(limit: number, hungMs = HUNG_MS): Pieces {
  const subjects = new Set<string>()
  const waiting: (() => Promise<void>)[] = []
  let running = 0
  let isStopped = false

  function startNext() {
    while (running < limit) {
      const next = waiting.shift()
      if (!next) return
      running++
      void next().finally(() => {
        running--
        startNext()
      })
    }
  }

  /** Resolves to the failure; to undefined where the piece succeeded, or was dropped by a stop. */
  function enqueue({ subject, run }: Piece): Promise<FailedPiece | undefined> {
    subjects.add(subject)
    return new Promise((resolve) => {
      waiting.push(async () => {
        let failed: FailedPiece | undefined
        try {
          if (!isStopped) await withTimeout(run(), hungMs)
        } catch (error) {
          failed = { subject, error }
        }
        subjects.delete(subject)
        resolve(failed)
      })
    })
  }

  return {
    add(pieces) {
      const added: Promise<FailedPiece | undefined>[] = []
      for (const piece of pieces) if (!subjects.has(piece.subject)) added.push(enqueue(piece))
      startNext()
      const done = Promise.all(added).then((ended) => ended.filter((failed) => failed !== undefined))
      return { started: added.length, done }
    },
    running: () => running,
    stop() {
      isStopped = true
    },
  }
}

export async function withTimeout<T>(run: Promise<T>, hungMs = HUNG_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the run took over ${hungMs / 1_000} s`)), hungMs)
  })
  try {
    return await Promise.race([run, hung])
  } finally {
    clearTimeout(timer)
  }
}
