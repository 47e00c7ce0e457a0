import { existsSync, readFileSync } from 'node:fs'
import { StartFailed } from '../src/startFailed.ts'

const FULL = /No space left on device|ENOSPC/i

/** The message for the terminal. Only an unexpected error has its stack. */
export function explain(error: unknown): string {
  const { message, stack, code } = error as NodeJS.ErrnoException
  if (error instanceof StartFailed) return message
  if (code?.startsWith('ERR_PARSE_ARGS'))
    return `${message.split('.')[0]}. Try: npm start, or npm start -- --reset`
  if (FULL.test(message)) return message + adviceFor(message)
  return stack ?? message
}

/** The last lines of a log file, with advice if the disk is full. */
export function endOfLog(log: string): string {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').slice(-12).join('\n') : ''
  return lines + adviceFor(lines)
}

/** Advice to append to a program's output if it reports a full disk; otherwise an empty string. */
export function adviceFor(output: string): string {
  return FULL.test(output)
    ? '\nThe disk is full: free some space and start again. All sold tickets are safe.'
    : ''
}
