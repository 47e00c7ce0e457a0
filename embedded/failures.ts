import { existsSync, readFileSync } from 'node:fs'
import { StartFailed } from '../src/startFailed.ts'

const FULL = /No space left on device|ENOSPC/i

/** What to tell the person at the terminal. A stack is for faults of ours only. */
export function explain(error: unknown): string {
  const { message, stack, code } = error as NodeJS.ErrnoException
  if (error instanceof StartFailed) return message
  if (code?.startsWith('ERR_PARSE_ARGS'))
    return `${message.split('.')[0]}. Try: npm start, or npm start -- --reset`
  if (FULL.test(message)) return message + adviceFor(message)
  return stack ?? message
}

/** The end of a log, with advice where it says that the disk is full. */
export function lastWords(log: string): string {
  const words = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').slice(-12).join('\n') : ''
  return words + adviceFor(words)
}

/** A sentence to append to what a program said, where it said that the disk is full. */
export function adviceFor(said: string): string {
  return FULL.test(said)
    ? '\nThe disk is full: free some space and start again. Nothing that was sold is lost.'
    : ''
}
