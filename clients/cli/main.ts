#!/usr/bin/env node
// npm run fairgate -- <command>: commands for organizers, ops and fans. They use the public API alone, except the doctor and draw-plan.
import { type Command, CommandError } from './command.ts'
import { doctor } from './doctor.ts'
import { drawPlan } from './drawPlan.ts'
import { holders } from './holders.ts'
import { refundEvent } from './refundEvent.ts'
import { verifyDraw } from './verifyDraw.ts'
import { verifyTicket } from './verifyTicket.ts'

const COMMANDS: readonly Command[] = [doctor, drawPlan, holders, refundEvent, verifyDraw, verifyTicket]

const HELP = `fairgate <command> [flags]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`).join('\n')}

fairgate <command> --help explains a command.
`

async function main([name, ...args]: string[]): Promise<number> {
  const command = COMMANDS.find((candidate) => candidate.name === name)
  if (!command) {
    const isHelp = name === undefined || name === '--help' || name === 'help'
    process[isHelp ? 'stdout' : 'stderr'].write(isHelp ? HELP : `There is no command ${name}.\n\n${HELP}`)
    return isHelp ? 0 : 1
  }
  if (args.includes('--help')) {
    process.stdout.write(command.help)
    return 0
  }
  const { text, code } = await command.run(args)
  process.stdout.write(text)
  return code
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
