import { type ParseArgsConfig, parseArgs } from 'node:util'

/** A wrong flag, or data that cannot be read; the message is one sentence. */
export class CommandError extends Error {}

export interface Command {
  readonly name: string
  /** One line for the list of all commands. */
  readonly summary: string
  readonly help: string
  /** Runs the command with the arguments after its name. Returns its output and exit code. Throws CommandError. */
  run(args: string[]): Promise<{ text: string; code: number }>
}

/** Reads the flags and the positional arguments of a command. Throws CommandError for a flag that it does not have. */
export function parseFlags<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
