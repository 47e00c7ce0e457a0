import { setTimeout as sleep } from 'node:timers/promises'
import { yieldToEventLoop } from '../../async/eventLoop.ts'
import { type Delivery, deliver, isReady } from './delivery.ts'
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

export interface Member extends Delivery {
  /** The number of the update that it stands at. Negative where it was left out since; 0: it has been told nothing. */
  at: number
  /** False of an update that may be behind what this newcomer was told elsewhere. Undefined until that is known. */
  isDue: ((last: never) => boolean) | undefined
  /** It is over for everybody: with what went wrong, or without. */
  end(error?: unknown): void
}

export interface Group {
  /** Tells the member, who stands at 0, where the group stands, and from then on what changes. */
  join(member: Member): void
  leave(member: Member): void
  readonly size: number
}

/** A snapshot serves everybody who comes within this time: a crowd that comes back comes at once. */
const WHOLE_KEPT_MS = 500
/** Sockets written to in one go: then whoever else is served by this process has a turn. */
const AT_ONCE = 500
/** A group that nobody follows goes on for a moment: a follower joins shortly after the group was found for it. */
const LINGER_MS = 100
/** How often those who were left out are looked at, when nothing new is to be told. */
const LOOK_AGAIN_MS = 250

const always = () => true

/** Where those stand who were told the update of this number. */
interface Whole<Value> {
  readonly number: number
  readonly of: Value
  readonly madeAt: number
  readonly message: Promise<Message>
}

/**
 * Those who follow the same operation. One reader takes the updates, one by one; each is serialized once, and costs
 * every socket one write. Nothing is kept for a socket that does not take what it is sent: it is left out, and brought
 * up to date by a snapshot once it does.
 */
export function createGroup<Value>(source: Source<Value>, onEnd: () => void): Group {
  const members = new Set<Member>()
  /** Those among them who need a snapshot. */
  const behind = new Set<Member>()
  let last: Value
  let number = 0
  let change: Message | undefined
  let whole: Whole<Value> | undefined
  let isBringingUp = false
  let isWaiting = false
  let isOver = false
  let reason: unknown

  async function messageOf(value: Value | Promise<Value>): Promise<Message> {
    return createMessage(await source.serialize(await value))
  }

  function wholeNow(): Whole<Value> {
    const now = performance.now()
    if (whole?.number !== number || now - whole.madeAt > WHOLE_KEPT_MS) {
      whole = { number, of: last, madeAt: now, message: messageOf(source.whole(last)) }
    }
    return whole
  }

  /** What has come so far once is never behind again. */
  function isDue(member: Member, value = last): boolean {
    if (!member.isDue?.(value as never)) return false
    member.isDue = always
    return true
  }

  async function welcome(member: Member) {
    member.isDue = source.atLeast ? await source.atLeast() : always
    if (!members.has(member)) return
    behind.add(member)
    void bringUp()
    // A newcomer is told what went wrong. What goes wrong later puts nobody out, and is tried again.
    if (number > 0 && isDue(member)) await wholeNow().message
  }

  /** To all who need a snapshot, beside those who are told what changes: nobody waits for anybody else. */
  async function bringUp() {
    if (isBringingUp) return
    isBringingUp = true
    try {
      while (readyToBeBroughtUp() > 0) await tellWhole()
    } catch {
      // What cannot be read now is tried again.
    }
    isBringingUp = false
    for (const member of behind) if (number > 0 && isDue(member)) return lookAgain()
  }

  /** Looks at each of them: a socket that takes nothing for too long is given up. */
  function readyToBeBroughtUp(): number {
    let ready = 0
    if (number > 0) for (const member of behind) if (isDue(member) && isReady(member)) ready++
    return ready
  }

  async function tellWhole() {
    const made = wholeNow()
    const message = await made.message
    // Told all the same: a snapshot that takes longer than the next change would never be told. Another one follows it.
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
      if (++written % AT_ONCE === 0) await yieldToEventLoop()
    }
  }

  async function lookAgain() {
    if (isWaiting) return
    isWaiting = true
    await sleep(LOOK_AGAIN_MS)
    isWaiting = false
    void bringUp()
  }

  async function tell() {
    const message = change as Message
    let written = 0
    for (const member of members) {
      if (member.at <= 0 || member.at !== number - 1) continue
      if (deliver(message, member)) member.at = number
      else {
        member.at = -member.at
        behind.add(member)
      }
      if (++written % AT_ONCE === 0) await yieldToEventLoop()
    }
    void bringUp()
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
    for (const member of members) member.end(error)
    members.clear()
    behind.clear()
  }

  function endWhereEmpty() {
    if (members.size > 0) return
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
    join(member) {
      if (isOver) return member.end(reason)
      members.add(member)
      welcome(member).catch((error) => member.end(error))
    },
    leave(member) {
      behind.delete(member)
      if (members.delete(member) && members.size === 0) lookLater()
    },
    get size() {
      return members.size
    },
  }
}
