export interface KeptReads<T> {
  /** The value of the running or the last read; `read` runs where there is none. */
  read(key: string, read: () => Promise<T>): Promise<T>
  /** The next caller reads. */
  forget(key: string): void
}

/** Shares each read among its callers, and its value for `keptMs` after it. A read that fails is not kept. */
export function createKeptReads<T>(keptMs: number): KeptReads<T> {
  const reads = new Map<string, Promise<T>>()
  return {
    read(key, read) {
      const known = reads.get(key)
      if (known) return known
      const reading = read()
      reads.set(key, reading)
      const forget = () => {
        if (reads.get(key) === reading) reads.delete(key)
      }
      reading.then(() => setTimeout(forget, keptMs).unref(), forget)
      return reading
    },
    forget(key) {
      reads.delete(key)
    },
  }
}

/** The same for one value. */
export function keptRead<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  const reads = createKeptReads<T>(keptMs)
  return () => reads.read('', read)
}
