import { relative } from 'node:path'
import type { Env } from '../src/env.ts'
import { DEMO_SLUG, type DemoEvent } from './demo.ts'

export interface BannerFacts {
  env: Env
  folder: string
  event: DemoEvent | null
  /** Whether npm start runs the server itself. */
  own: { postgres: boolean }
}

/** The addresses of all parts, without passwords, and the next commands, for the terminal. */
export function banner({ env, folder, event, own }: BannerFacts): string {
  const { publicUrl } = env
  const shown = relative(process.cwd(), folder) || folder
  const crowd = `npm run surge -- --fans 3000${env.port === 4000 ? '' : ` --url ${publicUrl}`}`
  const lines: [string, string][] = [
    ['GraphiQL', `${publicUrl}/graphql`],
    [
      'Database',
      `${withoutPassword(env.databaseUrl)}${own.postgres ? `   the password: ${shown}/postgres/password` : ''}`,
    ],
    ['Redis', withoutPassword(env.redisUrl)],
    ...(env.embedded ? [['Mails', `${publicUrl}/dev/mail`] as [string, string]] : []),
    ['Data and logs', `${shown} (api.log, worker.log)`],
  ]
  if (event) {
    const body = `'{"account":"ana","emailVerified":true,"roles":["ops"]}'`
    lines.unshift(["Fan's page", `${publicUrl}/e/${DEMO_SLUG}   ${event.name}: ${state(event)}`])
    lines.push(
      ['A token', `curl -s ${publicUrl}/dev/token -H 'content-type: application/json' -d ${body}`],
      ['A crowd', crowd],
    )
  }
  lines.push(['Stop', 'Ctrl-C'], ['Start over', 'npm start -- --reset'])
  const width = Math.max(...lines.map(([name]) => name.length)) + 2
  return [
    '',
    'Fairgate runs.',
    '',
    ...lines.map(([name, text]) => `  ${name.padEnd(width)}${text}`),
    '',
  ].join('\n')
}

function state({ sale }: DemoEvent): string {
  const seconds = Math.ceil((Date.parse(sale.opensAt) - Date.now()) / 1_000)
  if (seconds > 0) {
    const time = new Date(sale.opensAt).toLocaleTimeString('en-GB')
    return `${sale.available} seats, on sale at ${time} (in ${seconds} s)`
  }
  return `${sale.state.toLowerCase().replace('_', ' ')}, ${sale.available} seats left`
}

/** Clients of both stores also read a password from the query, which the banner leaves out. */
function withoutPassword(address: string): string {
  const url = new URL(address)
  url.password = ''
  url.search = ''
  return url.href
}
