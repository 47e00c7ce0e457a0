import type { Redis } from 'ioredis'

/** Told each message; the empty message means "something may have been missed: read again". */
export type Listener = (message: string) => void

/**
 * One subscriber connection for the whole process. A channel is subscribed to while somebody listens to it.
 *
 * Pub/sub may lose messages. So every listener hears the empty message once its subscription is in force,
 * and again after every reconnect; who cannot live with the gap between reads from time to time as well.
 */
export interface ChannelHub {
  /** Listens until the returned function is called. Needs no Redis at this moment. */
  listen(channel: string, listener: Listener): () => void
  close(): void
}

export function createChannelHub(subscriber: Redis): ChannelHub {
  const channels = new Map<string, { listeners: Set<Listener>; inForce: boolean }>()

  function tell(channel: string, message: string) {
    for (const listener of channels.get(channel)?.listeners ?? []) listener(message)
  }

  function subscribe(channel: string) {
    const entry = channels.get(channel)
    subscriber.subscribe(channel).then(
      () => {
        if (!entry || channels.get(channel) !== entry) return
        entry.inForce = true
        tell(channel, '')
      },
      () => {}, // Only when the connection is closed for good; after a lost one see below.
    )
  }

  /** What was published meanwhile is lost. */
  async function resubscribe() {
    const lost = [...channels].filter(([, { inForce }]) => inForce).map(([channel]) => channel)
    if (lost.length === 0) return
    await subscriber.subscribe(...lost)
    for (const channel of lost) tell(channel, '')
  }

  subscriber.on('message', tell)
  // What is not in force yet ioredis sends anew by itself.
  subscriber.on('ready', () => resubscribe().catch(() => {}))

  return {
    listen(channel, listener) {
      let entry = channels.get(channel)
      if (entry) {
        entry.listeners.add(listener)
        if (entry.inForce) queueMicrotask(() => listener(''))
      } else {
        entry = { listeners: new Set([listener]), inForce: false }
        channels.set(channel, entry)
        subscribe(channel)
      }
      return () => {
        if (!entry.listeners.delete(listener) || entry.listeners.size > 0) return
        if (channels.get(channel) !== entry) return
        channels.delete(channel)
        subscriber.unsubscribe(channel).catch(() => {})
      }
    },
    close() {
      channels.clear()
      subscriber.disconnect()
    },
  }
}
