import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in these ticks. */
const TICK_MICROSECONDS = 10_000

/** Microseconds of processor time that a process and its children have used so far; NaN without /proc. */
export function processorTimeOf(pid: number): number {
  const own = timesOf(pid)
  if (!own) return Number.NaN
  const children = readdirSync('/proc')
    .map((name) => (/^\d+$/.test(name) ? timesOf(Number(name)) : null))
    .filter((times) => times?.parent === pid)
  return TICK_MICROSECONDS * children.reduce((sum, times) => sum + (times?.alive ?? 0), own.alive + own.ended)
}

/** Ticks of the process itself and of its ended children. Null if the process does not exist. */
function timesOf(pid: number): { parent: number; alive: number; ended: number } | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // The fields after the name, which is in parentheses and may contain any character: state, parent, …, utime, stime,
  // cutime, cstime.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return { parent: fields[1] ?? 0, alive: user + system, ended: endedUser + endedSystem }
}
