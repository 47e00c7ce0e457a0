import type { Sale } from '../sdk/index.ts'
import type { CrowdRecord } from './record.ts'

/** Prints the progress: one line a second on a terminal, one line every five seconds in a log. */
export function showProgress(record: CrowdRecord, capacity: number, sale: () => Sale): () => void {
  const { stdout } = process
  let holdsBefore = 0
  let lastHolds = performance.now()
  const period = stdout.isTTY ? 1_000 : 5_000
  const timer = setInterval(() => {
    const now = performance.now()
    const rate = (record.holds - holdsBefore) / ((now - lastHolds) / 1_000)
    holdsBefore = record.holds
    lastHolds = now
    const { state, available, held, waitingRoom, opensAt } = sale()
    const seconds = Math.round((now - record.started) / 1_000)
    const { outside, inside, holding, gone, 'in line': inLine } = record.whereabouts
    const refused = [...record.refusals.values()].reduce((sum, count) => sum + count, 0)
    const opening =
      state === 'PRE_QUEUE' || state === 'SCHEDULED'
        ? `opens in ${Math.max(0, Math.round((Date.parse(opensAt) - Date.now()) / 1_000))} s`
        : state.toLowerCase().replace('_', ' ')
    const line = [
      `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
      opening,
      `to come ${outside}`,
      `in line ${inLine}`,
      `inside ${inside + holding}`,
      `held ${held}`,
      `sold ${capacity - available - held}/${capacity}`,
      `${rate.toFixed(0)} holds/s`,
      `${(waitingRoom?.admissionRate ?? 0).toFixed(0)} called/s`,
      `refused ${refused}`,
      `home ${gone}`,
    ].join('  ')
    stdout.write(stdout.isTTY ? `\r\u001b[K${line.slice(0, (stdout.columns || 120) - 1)}` : `${line}\n`)
  }, period)
  return () => {
    clearInterval(timer)
    if (stdout.isTTY) stdout.write('\r\u001b[K')
  }
}
