/**
 * Items that wait in a line for each key. The lines are served in rotation, so a key whose crowd waits delays another key
 * by one item at a time. Memory is bounded by the items: a line without items does not exist.
 */
export interface FairQueue<T> {
  /** The items of all lines. */
  readonly size: number
  /** The lines that have items. */
  readonly lines: number
  /** The item of this line that has waited longest. */
  first(key: string): T | undefined
  push(key: string, item: T): void
  /**
   * Takes the first item of the next line in rotation. A line that begins to wait comes after all others. Lines for which
   * `mayLeave` is false are passed over, and keep their turn. Default: true for all.
   */
  shift(mayLeave?: (key: string) => boolean): T | undefined
  /**
   * Where the queue is full: takes the newest item of the longest line, to make room for an item of `key`. Undefined where
   * the line of `key` has its even share already.
   */
  displace(key: string): T | undefined
  /** Moves the items of a line that `belong` to another one, in their order. */
  move(from: string, to: string, belongs: (item: T) => boolean): void
  /** Takes an item out. False where it does not wait. */
  remove(key: string, item: T): boolean
}

interface Line<T> {
  readonly key: string
  readonly items: T[]
  /** The items before it were taken. */
  head: number
  next: Line<T> | undefined
}

/** Taken items at the head of a line that are worth a copy of the others. */
const COMPACT_AT = 64

export function createFairQueue<T>(): FairQueue<T> {
  const lines = new Map<string, Line<T>>()
  let size = 0
  /** The rotation: the next line, and the last one. */
  let first: Line<T> | undefined
  let last: Line<T> | undefined

  function append(line: Line<T>) {
    line.next = undefined
    if (last) last.next = line
    else first = line
    last = line
  }

  function unlink(line: Line<T>) {
    lines.delete(line.key)
    let before: Line<T> | undefined
    for (let one = first; one !== line; one = one?.next) before = one
    if (before) before.next = line.next
    else first = line.next
    if (last === line) last = before
  }

  function push(key: string, item: T) {
    size++
    const known = lines.get(key)
    if (known) return void known.items.push(item)
    const line = { key, items: [item], head: 0, next: undefined }
    lines.set(key, line)
    append(line)
  }

  return {
    get size() {
      return size
    },
    get lines() {
      return lines.size
    },
    first(key) {
      const line = lines.get(key)
      return line?.items[line.head]
    },
    push,
    shift(mayLeave) {
      let before: Line<T> | undefined
      let line = first
      while (line && mayLeave && !mayLeave(line.key)) {
        before = line
        line = line.next
      }
      if (!line) return undefined
      size--
      const item = line.items[line.head++] as T
      if (before) before.next = line.next
      else first = line.next
      if (last === line) last = before
      if (line.head === line.items.length) lines.delete(line.key)
      else {
        if (line.head >= COMPACT_AT && 2 * line.head >= line.items.length) {
          line.items.splice(0, line.head)
          line.head = 0
        }
        append(line)
      }
      return item
    },
    displace(key) {
      const own = lengthOf(lines.get(key))
      // The crowd itself is refused without a look at the other lines.
      if (own * lines.size >= size) return undefined
      let longest: Line<T> | undefined
      for (const line of lines.values()) if (lengthOf(line) > lengthOf(longest)) longest = line
      if (!longest || lengthOf(longest) <= own + 1) return undefined
      size--
      return longest.items.pop()
    },
    move(from, to, belongs) {
      const line = lines.get(from)
      if (!line) return
      const { moved = [], kept = [] } = Object.groupBy(line.items.slice(line.head), (item) =>
        belongs(item) ? 'moved' : 'kept',
      )
      if (moved.length === 0) return
      size -= moved.length
      line.items.length = 0
      line.head = 0
      for (const item of kept) line.items.push(item)
      if (kept.length === 0) unlink(line)
      for (const item of moved) push(to, item)
    },
    remove(key, item) {
      const line = lines.get(key)
      const at = line ? line.items.indexOf(item, line.head) : -1
      if (!line || at < 0) return false
      size--
      line.items.splice(at, 1)
      if (lengthOf(line) === 0) unlink(line)
      return true
    },
  }
}

function lengthOf(line: Line<unknown> | undefined): number {
  return line ? line.items.length - line.head : 0
}
