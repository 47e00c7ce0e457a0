import type { ExecutionArgs, ExecutionResult } from 'graphql'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { executeCompiled } from './compiled.ts'
import { costError } from './documentLimits.ts'
import type { Outcomes } from './outcomes.ts'

/**
 * Runs a query or a mutation, over HTTP and on sockets alike: within its limits, compiled where that pays, told in the
 * contract's words and counted. What has to happen whenever something is run belongs here and in no hook of Yoga's plugins: those
 * took 4 µs of a poll's 60, and POST goes past them.
 */
export type Execute = (args: ExecutionArgs) => MaybePromise<ExecutionResult>

export function createExecute(outcomes: Outcomes): Execute {
  return (args) =>
    outcomes.counted(args, () => {
      const error = costError(args)
      return error ? { errors: [error] } : executeCompiled(args)
    })
}
