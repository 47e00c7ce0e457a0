import { type Env, readEnv } from './env.ts'
import { StartFailed } from './startFailed.ts'

/** The running parts of a process, until its stop. */
export interface Running {
  /** Takes no new work, lets current work finish for up to `deadlineMs`, then closes everything in order. */
  close(deadlineMs: number): Promise<void>
}

/** Signals within this time count as one: a Ctrl-C reaches a process from the terminal and again from npm. */
const ONE_SIGNAL_MS = 1_000

/** The time for closing connections after the drain. */
const CUT_OFF_MS = 5_000

/**
 * Runs a process from its configuration to its orderly stop: on SIGTERM, SIGINT or SIGHUP, or when the parent that
 * started it over a channel is gone. A second signal ends it at once.
 */
export async function runProcess(start: (env: Env) => Promise<Running>): Promise<void> {
  try {
    const env = readEnv()
    const running = await start(env)
    let stoppingSince: number | null = null
    const stop = () => {
      if (stoppingSince !== null) {
        if (Date.now() - stoppingSince > ONE_SIGNAL_MS) process.exit(1)
        return
      }
      stoppingSince = Date.now()
      const deadlineMs = env.drainSeconds * 1_000
      running.close(deadlineMs).then(() => process.exit(0), fail)
      // BullMQ's close may hang after Redis went away: then the process exits anyway.
      setTimeout(() => process.exit(1), deadlineMs + CUT_OFF_MS).unref()
    }
    for (const event of ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect']) process.on(event, stop)
    process.send?.('ready')
  } catch (error) {
    fail(error)
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof StartFailed ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}
