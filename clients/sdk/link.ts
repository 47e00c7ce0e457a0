/** Whether the service can be reached, as far as HTTP and the socket have shown. */
export interface Link {
  readonly up: boolean
  /** Called at each change; gives back how to stop. */
  onChange(listener: (up: boolean) => void): () => void
  answered(): void
  unanswered(): void
}

export function createLink(): Link {
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
