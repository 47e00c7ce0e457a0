/** Returns a function whose promise resolves once `parties` callers wait for it; then the next ones gather. */
export function createBarrier(parties: number): () => Promise<void> {
  let waiting: (() => void)[] = []
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length < parties) return
      for (const goOn of waiting) goOn()
      waiting = []
    })
}
