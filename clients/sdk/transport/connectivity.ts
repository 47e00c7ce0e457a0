/** Whether the service can be reached, judged by HTTP answers and the socket. */
export interface Connectivity {
  readonly up: boolean
  /** Calls the listener at each change. Returns a function that removes it. */
  onChange(listener: (up: boolean) => void): () => void
  /** Reports that an answer came. */
  answered(): void
  /** Reports that an answer did not come. */
  unanswered(): void
}

export function createConnectivity(): Connectivity {
  const listeners = new Set<(up: boolean) => void>()
  let up = true
  function set(value: boolean) {
    if (value === up) return
    up = value
    for (const listener of listeners) listener(up)
  }
  return {
    get up() {
      return up
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    answered: () => set(true),
    unanswered: () => set(false),
  }
}
