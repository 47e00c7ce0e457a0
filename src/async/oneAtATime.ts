/** Returns a function that runs the works of one key one after the other, in the order of the calls. */
export function oneAtATime(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const run = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, run)
    const forget = () => {
      if (last.get(key) === run) last.delete(key)
    }
    run.then(forget, forget)
    return run
  }
}
