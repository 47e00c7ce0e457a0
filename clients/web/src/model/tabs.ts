/** Keeps the tabs of one event in step: what a fan does in one of them, the others show. */
export interface Tabs {
  /** Tells the other tabs that the account, the place, the hold or the orders have changed. */
  changed(): void
}

/** `follow` reads the state again. It is called once for a burst of changes, and its own changes are not reported back. */
export function createTabs(slug: string, follow: () => Promise<void>): Tabs {
  // Old browsers have no channels: each of their tabs shows the server's answer to its own requests.
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`fairgate.${slug}`)
  let following: Promise<void> | null = null
  let again = false

  async function run() {
    do {
      again = false
      await follow().catch(() => undefined)
    } while (again)
    following = null
  }
  channel?.addEventListener('message', () => {
    again = true
    following ??= run()
  })
  return {
    changed() {
      if (!following) channel?.postMessage(null)
    },
  }
}
