import type { Piece } from './kit.ts'

/** A piece that takes this long hangs. It fails, or it would block its place and its subject for good. */
const HUNG_MS = 300_000

export interface FailedPiece {
  readonly subject: string
  readonly error: unknown
}

export interface Pieces {
  /**
   * Does pieces of work in the order in which they were found. Leaves out a piece whose subject waits already. A piece whose
   * subject runs waits for the end of that run, and takes no place meanwhile: a subject has one place at most, however
   * slow it is. Resolves when the others are done.
   */
  add(pieces: readonly Piece[]): { added: number; done: Promise<FailedPiece[]> }
  /** The number of pieces that run. */
  running(): number
  /** Starts no further piece. The next run of another process finds those that wait. */
  stop(): void
}

interface Waiting extends Piece {
  readonly ended: (failed: FailedPiece | undefined) => void
}

/** The pieces of one job in this process, `limit` at once. */
export function createPieces(limit: number): Pieces {
  /** By subject, in the order of their finding. */
  const waiting = new Map<string, Waiting>()
  const running = new Set<string>()

  function startNext() {
    for (const [subject, piece] of waiting) {
      if (running.size >= limit) return
      if (running.has(subject)) continue
      waiting.delete(subject)
      void start(piece)
    }
  }

  async function start({ subject, run, ended }: Waiting) {
    running.add(subject)
    let failed: FailedPiece | undefined
    try {
      await withTimeout(run())
    } catch (error) {
      failed = { subject, error }
    }
    running.delete(subject)
    ended(failed)
    startNext()
  }

  return {
    add(pieces) {
      const added = pieces
        .filter(({ subject }) => !waiting.has(subject))
        .map(
          (piece) =>
            new Promise<FailedPiece | undefined>((ended) => {
              waiting.set(piece.subject, { ...piece, ended })
            }),
        )
      startNext()
      const done = Promise.all(added).then((all) => all.filter((failed) => failed !== undefined))
      return { added: added.length, done }
    },
    running: () => running.size,
    stop() {
      for (const { ended } of waiting.values()) ended(undefined)
      waiting.clear()
    },
  }
}

export async function withTimeout<T>(run: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the run took over ${HUNG_MS / 1_000} s`)), HUNG_MS)
  })
  try {
    return await Promise.race([run, hung])
  } finally {
    clearTimeout(timer)
  }
}
