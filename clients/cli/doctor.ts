import { loadEnvFile } from 'node:process'
import { parseArgs } from 'node:util'
import type { Finding } from '../../src/server/fitness/findings.ts'
import { type Command, CommandError } from './command.ts'

const HELP = `fairgate doctor [--env-file FILE] [--token TOKEN] [--json]

Examines the installation that the environment describes, before any user depends on it: the configuration, both databases,
both Redis servers, the keys, the identity provider, mail and payments. It changes nothing.

  --env-file FILE   reads variables from a file as well; those of the environment count first
  --token TOKEN     tries an account token of your identity provider, and names the claim for which it is refused
  --json            a list of {part, state, text}

The exit code is 1 if a part is unfit. A warning does not change it.
`

/** `fairgate doctor`: reports each unfit part of an installation, and the reason. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'examines the configuration and everything that it names, and reports each unfit part',
  help: HELP,
  async run(args) {
    const { 'env-file': file, token, json } = parse(args)
    if (file !== undefined) load(file)
    // Loaded here: the other commands need no database client.
    const { examine } = await import('../../src/server/fitness/doctor.ts')
    const findings = await examine(process.env, token)
    const code = findings.some(({ state }) => state === 'unfit') ? 1 : 0
    return { text: json ? `${JSON.stringify(findings, null, 2)}\n` : toText(findings), code }
  },
}

function toText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ part }) => part.length))
  const lines = findings.map(({ part, state, text }) => `${state.padEnd(7)}  ${part.padEnd(width)}  ${text}`)
  const unfit = new Set(findings.filter(({ state }) => state === 'unfit').map(({ part }) => part))
  const last = unfit.size === 0 ? 'Every part is fit.' : `Not fit for a sale: ${[...unfit].join(', ')}.`
  return `${lines.join('\n')}\n\n${last}\n`
}

function load(file: string) {
  try {
    loadEnvFile(file)
  } catch (error) {
    throw new CommandError(`--env-file ${file} cannot be read: ${(error as Error).message}`)
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { 'env-file': { type: 'string' }, token: { type: 'string' }, json: { type: 'boolean' } },
    }).values
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
