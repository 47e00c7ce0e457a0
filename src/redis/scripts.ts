import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { channels, keys } from './keys.ts'
import { createRunIdReader } from './runId.ts'

type Argument = string | number | Buffer

/**
 * Returns scripts/<name>.lua as a function of keys and arguments. It returns bulk strings as Buffers. ioredis sends the
 * script's text once on each connection, and its digest from then on.
 */
export function script(redis: Redis, name: string): (keys: string[], args: Argument[]) => Promise<unknown> {
  const command = `fg:${name}`
  const lua = readFileSync(new URL(`scripts/${name}.lua`, import.meta.url), 'utf8')
  redis.defineCommand(command, { lua })
  const commands = redis as unknown as Record<string, (...args: Argument[]) => Promise<unknown>>
  return (scriptKeys, args) =>
    (commands[`${command}Buffer`] as (typeof commands)[string])(scriptKeys.length, ...scriptKeys, ...args)
}

export interface MapSeat {
  /** Within the section. */
  index: number
  status: number
  revision: number
}

export interface WholeSection {
  /** 2 bits a seat. */
  statuses: Uint8Array
  /** 4 bytes a seat, big-endian. */
  revisions: Uint8Array
  /** The sum of the revisions. */
  version: number
  /** The number of seats of each status. */
  counts: readonly [number, number, number, number]
}

/** The seat map's scripts and reads. Each script's header describes it. Every method throws while Redis is away. */
export function mapScripts(redis: Redis) {
  const mergeSeats = script(redis, 'mergeSeats')
  const loadSection = script(redis, 'loadSection')
  const readSection = script(redis, 'readSection')
  const runId = createRunIdReader(redis)

  function sectionKeys(eventId: string, sectionNo: number): string[] {
    return [keys.statuses(eventId, sectionNo), keys.revisions(eventId, sectionNo), keys.sections(eventId)]
  }

  async function withMaps(eventIds: readonly string[]): Promise<string[]> {
    const batch = redis.pipeline()
    for (const eventId of eventIds) batch.exists(keys.sections(eventId))
    const replies = (await batch.exec()) ?? []
    for (const [error] of replies) if (error) throw error
    return eventIds.filter((_, i) => replies[i]?.[1] === 1)
  }

  return {
    /** Returns the number of seats that had an older revision; `absent` where the section has no map. */
    async merge(eventId: string, sectionNo: number, seats: MapSeat[]): Promise<number | 'absent'> {
      const newer = await mergeSeats(sectionKeys(eventId, sectionNo), [
        channels.section(eventId, sectionNo),
        sectionNo,
        channels.sale(eventId),
        ...seats.flatMap(({ index, status, revision }) => [index, status, revision]),
      ])
      return newer === -1 ? 'absent' : (newer as number)
    },

    /** Returns false where the section has a map already, and leaves that map unchanged. */
    async load(eventId: string, sectionNo: number, section: WholeSection): Promise<boolean> {
      const { statuses, revisions, version, counts } = section
      const loaded = await loadSection(sectionKeys(eventId, sectionNo), [
        channels.section(eventId, sectionNo),
        sectionNo,
        asBuffer(statuses),
        asBuffer(revisions),
        version,
        ...counts,
      ])
      return loaded === 1
    },

    /** Null where the section has no map. */
    async read(
      eventId: string,
      sectionNo: number,
    ): Promise<{ version: number; available: number; statuses: Uint8Array } | null> {
      const section = (await readSection(sectionKeys(eventId, sectionNo), [sectionNo])) as Buffer[] | null
      if (!section) return null
      const [version, available, statuses] = section as [Buffer, Buffer, Buffer]
      // A copy: the Buffer is a window on a larger buffer with the whole reply of the pipeline.
      return { version: Number(version), available: Number(available), statuses: new Uint8Array(statuses) }
    },

    /** Statuses and revisions at one version; null where the section has no map. */
    async readRevisions(
      eventId: string,
      sectionNo: number,
    ): Promise<{ statuses: Uint8Array; revisions: Uint8Array } | null> {
      const [statuses, revisions] = await redis.mgetBuffer(
        keys.statuses(eventId, sectionNo),
        keys.revisions(eventId, sectionNo),
      )
      return statuses && revisions ? { statuses, revisions } : null
    },

    /** Removes the whole map of an event at once. A reader loads it again. */
    async remove(eventId: string, sectionNos: readonly number[]): Promise<void> {
      const ofSections = sectionNos.flatMap((no) => [keys.statuses(eventId, no), keys.revisions(eventId, no)])
      await redis.unlink(keys.sections(eventId), ...ofSections)
    },

    /** Null where the section has no map. */
    async version(eventId: string, sectionNo: number): Promise<number | null> {
      const version = await redis.hget(keys.sections(eventId), `${sectionNo}:version`)
      return version === null ? null : Number(version)
    },

    /** The packed statuses of these sections, in their order; null for one without a map. */
    async statuses(eventId: string, sectionNos: readonly number[]): Promise<(Uint8Array | null)[]> {
      if (sectionNos.length === 0) return []
      return redis.mgetBuffer(...sectionNos.map((no) => keys.statuses(eventId, no)))
    },

    /** Version and counts of every section that has a map, by its number. */
    async counts(
      eventId: string,
    ): Promise<Map<number, { version: number; counts: [number, number, number, number] }>> {
      const fields = await redis.hgetall(keys.sections(eventId))
      const sections = new Map<number, { version: number; counts: [number, number, number, number] }>()
      for (const [field, version] of Object.entries(fields)) {
        const [no, name] = field.split(':')
        if (name !== 'version') continue
        const count = (status: number) => Number(fields[`${no}:${status}`] ?? 0)
        sections.set(Number(no), {
          version: Number(version),
          counts: [count(0), count(1), count(2), count(3)],
        })
      }
      return sections
    },

    /**
     * Starts the next round in which a process compares an event's maps with the database. Returns the number of the round,
     * counted over all processes, and the mark that `keepMark` stored last.
     */
    async nextRound(eventId: string): Promise<{ round: number; mark: string | null }> {
      const [round, mark] = await Promise.all([
        redis.hincrby(keys.sections(eventId), 'round', 1),
        redis.hget(keys.sections(eventId), 'mark'),
      ])
      return { round, mark }
    },

    /**
     * Starts the next round over all events, counted over all processes. Returns its number, and `held` with the events that
     * had holds in one of the last `rounds` rounds.
     *
     * A Redis that has started may have older maps and an older set, and changes were lost while it was away. So the first
     * round of each run of Redis counts each active event with a map as held.
     */
    async nextRoundOfAll(
      active: readonly string[],
      held: readonly string[],
      rounds: number,
    ): Promise<{ round: number; recentlyHeld: string[] }> {
      const [run, knownRun, round] = await Promise.all([
        runId(),
        redis.get(keys.mapsRun),
        redis.incr(keys.mapRounds),
      ])
      const maybeOld = run === knownRun ? [] : await withMaps(active)
      const batch = redis.multi()
      for (const eventId of [...held, ...maybeOld]) batch.zadd(keys.mapsWithHolds, round, eventId)
      // Where another server took over in between, this run id is not its own, and the next round does the same again.
      batch.set(keys.mapsRun, run)
      // A Redis that lost the counter has rounds ahead of it.
      batch.zremrangebyscore(keys.mapsWithHolds, '-inf', round - rounds)
      batch.zremrangebyscore(keys.mapsWithHolds, `(${round}`, '+inf')
      batch.zrange(keys.mapsWithHolds, '0', '-1')
      const replies = (await batch.exec()) ?? []
      for (const [error] of replies) if (error) throw error
      return { round, recentlyHeld: (replies.at(-1)?.[1] ?? []) as string[] }
    },

    /** Counts these events as held in the current round. */
    async noteHeld(held: readonly string[]): Promise<void> {
      if (held.length === 0) return
      const round = Number((await redis.get(keys.mapRounds)) ?? 0)
      const batch = redis.pipeline()
      for (const eventId of held) batch.zadd(keys.mapsWithHolds, round, eventId)
      const replies = (await batch.exec()) ?? []
      for (const [error] of replies) if (error) throw error
    },

    /** Of the events given, those with a map of any section. One round trip. */
    withMaps,

    async keepMark(eventId: string, mark: string): Promise<void> {
      await redis.hset(keys.sections(eventId), 'mark', mark)
    },
  }
}

export type MapScripts = ReturnType<typeof mapScripts>

/** The same bytes as a Buffer: ioredis sends any other array as text. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
