import { setTimeout as sleep } from 'node:timers/promises'
import { createFairPasses } from '../../async/fairPasses.ts'
import { type Delivery, deliver, isReady } from './delivery.ts'
import { createMessage, type Message } from './message.ts'

/** The updates of a group. Each update is executed and serialized once. */
export interface Source<Value> {
  /** The event of the updates. The groups of one event share its turn to write. */
  readonly eventId: string
  /** The current value, then each change. */
  updates: AsyncIterableIterator<Value>
  /** Returns a snapshot: it brings a new member to the state of the members that received `last`. */
  snapshot(last: Value): Promise<Value>
  /** Where a client must not receive an older state than before, see Broadcast. */
  atLeast?(): Promise<(last: Value) => boolean>
  /** Returns the payload of the value's message, with the message's closing brace. */
  serialize(value: Value): Promise<Buffer>
}

export interface Member extends Delivery {
  /** The number of the last update that it received. Negative where it missed an update since; 0 before the first. */
  at: number
  /** False for an update that may be older than what the client received elsewhere. Undefined until that is known. */
  isDue: ((last: never) => boolean) | undefined
  /** Called when the group ends, with an error where it failed. */
  end(error?: unknown): void
}

export interface Group {
  /** Sends a snapshot to the member, whose `at` is 0, and then each change. */
  join(member: Member): void
  leave(member: Member): void
  /** Ends the group for all members, with the error. */
  close(error: unknown): void
  readonly size: number
}

/** A snapshot serves all members that join within this time: a crowd that reconnects does so at once. */
const SNAPSHOT_KEPT_MS = 500
/** Sockets that a group writes in one slice, and that all groups write in one pass of the event loop: some 7 ms. */
const WRITES_IN_A_SLICE = 100
const WRITES_A_PASS = 500
/** How long a group without members lives: a follower joins shortly after its group is found. */
const LINGER_MS = 100
/** The interval at which members that are behind are retried, where no update comes. */
const RETRY_MS = 250

const always = () => true

/** The groups of a hot event, one for each of its sections, do not write all at once: other events write in between. */
const passes = createFairPasses(WRITES_A_PASS)

/** The snapshot at the update of this number. */
interface Snapshot<Value> {
  readonly number: number
  readonly of: Value
  readonly madeAt: number
  readonly message: Promise<Message>
}

/**
 * Serves the sockets that follow the same operation. One reader reads the updates one by one; each update is serialized once,
 * and written once for each socket. The group buffers nothing for a slow socket: the socket misses updates, and gets a
 * snapshot when it reads again.
 */
export function createGroup<Value>(source: Source<Value>, onEnd: () => void): Group {
  const members = new Set<Member>()
  /** The members that need a snapshot. */
  const behind = new Set<Member>()
  let last: Value
  let number = 0
  let change: Message | undefined
  let snapshot: Snapshot<Value> | undefined
  let isCatchingUp = false
  let isWaiting = false
  let isOver = false
  let reason: unknown

  async function messageOf(value: Value | Promise<Value>): Promise<Message> {
    return createMessage(await source.serialize(await value))
  }

  /** Waits for the turn to write, where up to `left` sockets are left to write. */
  const nextSlice = (left: number) => passes.next(source.eventId, Math.min(left, WRITES_IN_A_SLICE))

  function currentSnapshot(): Snapshot<Value> {
    const now = performance.now()
    if (snapshot?.number !== number || now - snapshot.madeAt > SNAPSHOT_KEPT_MS) {
      snapshot = { number, of: last, madeAt: now, message: messageOf(source.snapshot(last)) }
    }
    return snapshot
  }

  /** Once true for a member, it stays true. */
  function isDue(member: Member, value = last): boolean {
    if (!member.isDue?.(value as never)) return false
    member.isDue = always
    return true
  }

  async function welcome(member: Member) {
    member.isDue = source.atLeast ? await source.atLeast() : always
    if (!members.has(member)) return
    behind.add(member)
    void catchUp()
    // A failure now ends the new member. A failure later ends no member, and is retried.
    if (number > 0 && isDue(member)) await currentSnapshot().message
  }

  /** Sends snapshots to the members that need one. Members that are up to date do not wait for it. */
  async function catchUp() {
    if (isCatchingUp) return
    isCatchingUp = true
    try {
      while (countReady() > 0) await sendSnapshot()
    } catch {
      // `retryLater` tries again.
    }
    isCatchingUp = false
    for (const member of behind) if (number > 0 && isDue(member)) return retryLater()
  }

  /** Counts the members that can receive a snapshot. `isReady` terminates sockets that stay behind for too long. */
  function countReady(): number {
    let ready = 0
    if (number > 0) for (const member of behind) if (isDue(member) && isReady(member)) ready++
    return ready
  }

  async function sendSnapshot() {
    const made = currentSnapshot()
    const message = await made.message
    await nextSlice(behind.size)
    // A late snapshot is sent too: if every read took longer than the next change, no snapshot would ever be sent. Another
    // snapshot follows it.
    const isLate = made.number !== number
    let written = 0
    for (const member of behind) {
      if (!isLate && made.number !== number) return
      if (-member.at > made.number || !isDue(member, made.of) || !deliver(message, member)) continue
      if (isLate) member.at = -made.number
      else {
        member.at = number
        behind.delete(member)
      }
      if (++written % WRITES_IN_A_SLICE === 0) await nextSlice(behind.size)
    }
  }

  async function retryLater() {
    if (isWaiting) return
    isWaiting = true
    await sleep(RETRY_MS)
    isWaiting = false
    void catchUp()
  }

  async function sendChange() {
    const message = change as Message
    await nextSlice(members.size)
    let written = 0
    for (const member of members) {
      if (member.at <= 0 || member.at !== number - 1) continue
      if (deliver(message, member)) member.at = number
      else {
        member.at = -member.at
        behind.add(member)
      }
      if (++written % WRITES_IN_A_SLICE === 0) await nextSlice(members.size - written)
    }
    void catchUp()
  }

  async function run() {
    try {
      for await (const value of source.updates) {
        change = await messageOf(value)
        last = value
        number++
        await sendChange()
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
    for (const member of members) member.end(error)
    members.clear()
    behind.clear()
  }

  function endWhereEmpty() {
    if (members.size > 0) return
    void source.updates.return?.()
    end()
  }

  /** Also for a group without members: its first follower may have left before it joined. */
  function endLaterWhereEmpty() {
    setTimeout(endWhereEmpty, LINGER_MS).unref()
  }

  void run()
  endLaterWhereEmpty()

  return {
    join(member) {
      if (isOver) return member.end(reason)
      members.add(member)
      welcome(member).catch((error) => member.end(error))
    },
    leave(member) {
      behind.delete(member)
      if (members.delete(member) && members.size === 0) endLaterWhereEmpty()
    },
    close(error) {
      void source.updates.return?.()
      end(error)
    },
    get size() {
      return members.size
    },
  }
}
