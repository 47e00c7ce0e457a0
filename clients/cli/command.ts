/** What the caller got wrong, or what cannot be had, as one sentence. */
export class CommandError extends Error {}

export interface Command {
  readonly name: string
  /** One line for the list of all commands. */
  readonly summary: string
  readonly help: string
  /** Runs it with the arguments after its name; answers what to print, and the exit code. Throws CommandError. */
  run(args: string[]): Promise<{ text: string; code: number }>
}
