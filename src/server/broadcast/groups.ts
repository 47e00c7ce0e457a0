import { Fault, overloaded } from '../../sale/faults.ts'
import { GROUP_BOUNDS } from './bounds.ts'
import type { Group } from './group.ts'

export interface GroupKey {
  /** What the group follows: a sale or a section. */
  readonly subject: string
  /** What the group selects of it. */
  readonly shape: string
  /** The address of the first follower; null where it does not count. */
  readonly address: string | null
}

export interface Groups {
  /** Returns the group of this key, or makes it by `make`. Throws RATE_LIMITED or OVERLOADED where a bound is reached. */
  find(key: GroupKey, make: (onEnd: () => void) => Promise<Group>): Promise<Group>
  readonly size: number
}

interface Entry extends GroupKey {
  readonly group: Promise<Group>
  made: Group | undefined
}

/** The groups of a process, within GROUP_BOUNDS. */
export function createGroups(): Groups {
  /** By subject, then by shape. */
  const subjects = new Map<string, Map<string, Entry>>()
  const byAddress = new Map<string, number>()
  let size = 0

  function remove(entry: Entry) {
    const { subject, shape, address } = entry
    const shapes = subjects.get(subject)
    if (shapes?.get(shape) !== entry) return
    shapes.delete(shape)
    if (shapes.size === 0) subjects.delete(subject)
    size--
    if (address === null) return
    const left = (byAddress.get(address) ?? 0) - 1
    if (left > 0) byAddress.set(address, left)
    else byAddress.delete(address)
  }

  function countOf(shapes: ReadonlyMap<string, Entry> | undefined, address: string): number {
    let count = 0
    for (const entry of shapes?.values() ?? []) if (entry.address === address) count++
    return count
  }

  function refuseBeyondBounds({ subject, address }: GroupKey) {
    const shapes = subjects.get(subject)
    if (size >= GROUP_BOUNDS.all) throw overloaded(5)
    if (address === null) return
    if (
      countOf(shapes, address) >= GROUP_BOUNDS.ofSubjectByAddress ||
      (byAddress.get(address) ?? 0) >= GROUP_BOUNDS.byAddress
    )
      throw new Fault('RATE_LIMITED', 'Too many different selections are followed from this address.', {
        retryAfterSeconds: 30,
      })
  }

  /**
   * Ends a group of a subject that has too many: one of the address that brought the most, and of those the group with the
   * fewest followers. A refusal of the new group would let a few hostile clients shut out every fan.
   */
  function makeRoom(shapes: ReadonlyMap<string, Entry>) {
    let worst: Entry | undefined
    let most = [0, 0]
    for (const entry of shapes.values()) {
      const brought = entry.address === null ? 0 : countOf(shapes, entry.address)
      const rank = [brought, -(entry.made?.size ?? 0)]
      const [first = 0, second = 0] = rank
      const [mostFirst = 0, mostSecond = 0] = most
      if (worst && (first < mostFirst || (first === mostFirst && second <= mostSecond))) continue
      worst = entry
      most = rank
    }
    if (!worst) return
    const { group } = worst
    remove(worst)
    group.then(({ close }) => close(overloaded(5))).catch(() => {})
  }

  return {
    find(key, make) {
      const known = subjects.get(key.subject)?.get(key.shape)
      if (known) return known.group
      refuseBeyondBounds(key)
      const before = subjects.get(key.subject)
      if (before && before.size >= GROUP_BOUNDS.ofSubject) makeRoom(before)
      const { subject, shape, address } = key
      const group = make(() => remove(entry))
      const entry: Entry = { subject, shape, address, group, made: undefined }
      const shapes = subjects.get(subject) ?? new Map<string, Entry>()
      subjects.set(subject, shapes.set(shape, entry))
      size++
      if (address !== null) byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
      group.then(
        (made) => {
          entry.made = made
        },
        () => remove(entry),
      )
      return group
    },
    get size() {
      return size
    },
  }
}
