import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from './delivery.ts'
import { createMessage, type Message } from './message.ts'

/** What a group is told, executed and serialized once. */
export interface Source<Value> {
  /** The value now, then what changes. */
  updates: AsyncIterableIterator<Value>
  /** Brings a newcomer to where those stand who were told `last`. */
  whole(last: Value): Promise<Value>
  /** Where what was told must not go back, see Broadcast. */
  atLeast?(): Promise<(last: Value) => boolean>
  /** The payload of a message that tells this value, and the message's end. */
  serialize(value: Value): Promise<Buffer>
}

export interface Member {
  readonly delivery: Delivery
  /** It is over for everybody: with what went wrong, or without. */
  end(error?: unknown): void
}

export interface Group {
  /** Tells the member where the group stands, and from then on what changes. Returns how to leave. */
  join(member: Member): () => void
  readonly size: number
}

/** A snapshot serves everybody who comes within this time: a crowd that comes back comes at once. */
const WHOLE_KEPT_MS = 500
/** Sockets written to in one go: then whoever else is served by this process has a turn. */
const AT_ONCE = 500
/**
 * A group that nobody follows goes on for a moment: the protocol takes a follower up a few turns after the group was
 * found for it.
 */
const LINGER_MS = 100
/** How often those who were left out are looked at, when nothing new is to be told. */
const LOOK_AGAIN_MS = 250

interface Place<Value> extends Member {
  /** The number of the update that it stands at; 0: it has been told nothing, or was left out of something. */
  at: number
  /** False of an update that may be behind what this newcomer was told elsewhere. Undefined until that is known. */
  isDue?: (last: Value) => boolean
}

/**
 * Those who follow the same operation. One reader takes the updates, one by one; each is serialized once, and costs
 * every socket one write. Nothing is kept for a socket that does not take what it is sent: it is left out, and brought
 * up to date by a snapshot once it does.
 */
export function createGroup<Value>(source: Source<Value>, onEnd: () => void): Group {
  const places = new Set<Place<Value>>()
  let last: Value
  let number = 0
  let change: Message | undefined
  let whole: { number: number; madeAt: number; message: Promise<Message> } | undefined
  let isCatchingUp = false
  let isOver = false
  let reason: unknown

  async function messageOf(value: Value | Promise<Value>): Promise<Message> {
    return createMessage(await source.serialize(await value))
  }

  function messageOfWhole(): Promise<Message> {
    const now = performance.now()
    if (whole?.number !== number || now - whole.madeAt > WHOLE_KEPT_MS) {
      whole = { number, madeAt: now, message: messageOf(source.whole(last)) }
    }
    return whole.message
  }

  async function welcome(place: Place<Value>) {
    place.isDue = source.atLeast ? await source.atLeast() : () => true
    if (number > 0) await tellWhole(place)
  }

  /** Where something newer was read meanwhile, whoever reads it has told the place. */
  async function tellWhole(place: Place<Value>) {
    if (!place.isDue?.(last)) return
    const at = number
    const message = await messageOfWhole()
    if (at === number && place.at === 0 && places.has(place)) send(place, message)
  }

  function send(place: Place<Value>, message: Message) {
    if (place.delivery.send(message)) place.at = number
    else {
      place.at = 0
      void catchUp()
    }
  }

  /** What cannot be read now is tried again: passing trouble of ours puts nobody out who follows already. */
  async function bringUp(place: Place<Value>) {
    if (place.delivery.isReady()) await tellWhole(place).catch(() => {})
    if (place.at === 0 && place.isDue?.(last)) void catchUp()
  }

  async function catchUp() {
    if (isCatchingUp) return
    isCatchingUp = true
    await sleep(LOOK_AGAIN_MS)
    isCatchingUp = false
    for (const place of places) if (place.at === 0) await bringUp(place)
  }

  async function tell() {
    const message = change as Message
    let written = 0
    for (const place of places) {
      if (place.at === number) continue
      if (place.at === number - 1 && place.at > 0) send(place, message)
      else await bringUp(place)
      if (++written % AT_ONCE === 0) await breathe()
    }
  }

  async function run() {
    try {
      for await (const value of source.updates) {
        change = await messageOf(value)
        last = value
        number++
        await tell()
      }
      end()
    } catch (error) {
      end(error)
    }
  }

  function end(error?: unknown) {
    if (isOver) return
    isOver = true
    reason = error
    onEnd()
    for (const place of places) place.end(error)
    places.clear()
  }

  function endWhereEmpty() {
    if (places.size > 0) return
    void source.updates.return?.()
    end()
  }

  /** Also of a group that nobody came to: whoever it was made for may have left before he was admitted. */
  function lookLater() {
    setTimeout(endWhereEmpty, LINGER_MS).unref()
  }

  void run()
  lookLater()

  return {
    join({ delivery, end }) {
      if (isOver) {
        end(reason)
        return () => {}
      }
      const place: Place<Value> = { delivery, end, at: 0 }
      places.add(place)
      welcome(place).catch(end)
      return () => {
        places.delete(place)
        if (places.size === 0) lookLater()
      }
    },
    get size() {
      return places.size
    },
  }
}
