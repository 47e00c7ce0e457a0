import type { Redis } from 'ioredis'

/** Receives each message. The empty message means that messages may have been lost: read the value again. */
export type Listener = (message: string) => void

/**
 * One subscriber connection for the whole process. It subscribes to a channel while the channel has listeners.
 *
 * Pub/sub may lose messages. So every listener receives the empty message once its subscription is in force, and again
 * after every reconnect. A message can still be lost in between: a caller that cannot accept that also reads at intervals.
 */
export interface ChannelHub {
  /** Listens until the returned function is called. Works while Redis is away, too. */
  listen(channel: string, listener: Listener): () => void
  close(): void
}

export function createChannelHub(subscriber: Redis): ChannelHub {
  const channels = new Map<string, { listeners: Set<Listener>; inForce: boolean }>()

  function notify(channel: string, message: string) {
    for (const listener of channels.get(channel)?.listeners ?? []) listener(message)
  }

  function subscribe(channel: string) {
    const entry = channels.get(channel)
    subscriber.subscribe(channel).then(
      () => {
        if (!entry || channels.get(channel) !== entry) return
        entry.inForce = true
        notify(channel, '')
      },
      () => {}, // Only where the connection is closed for good. `resubscribe` handles a connection that was lost.
    )
  }

  /** Messages published while the connection was lost are lost too. */
  async function resubscribe() {
    const lost = [...channels].filter(([, { inForce }]) => inForce).map(([channel]) => channel)
    if (lost.length === 0) return
    await subscriber.subscribe(...lost)
    for (const channel of lost) notify(channel, '')
  }

  subscriber.on('message', notify)
  // A subscription that is not in force yet is still ioredis's to send; it retries by itself.
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
