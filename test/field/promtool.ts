// node test/field/promtool.ts [address…]: checks the metrics of running processes, and the rules in docs/alerts.yml, with
// Prometheus' own tool. Needs promtool (Debian's package "prometheus", installed if missing) and a process, such as `npm start`.
// Default: http://localhost:4000/metrics. METRICS_TOKEN is sent if it is set.
import { execFileSync } from 'node:child_process'
import { findOrInstall } from '../../embedded/install.ts'

const promtool = findOrInstall({
  title: 'promtool',
  commands: ['promtool'],
  apt: 'prometheus',
  brew: ['prometheus'],
  otherwise: 'Install Prometheus, so that promtool is on the PATH.',
})
const given = process.argv.slice(2)
const addresses = given.length > 0 ? given : ['http://localhost:4000/metrics']
const { METRICS_TOKEN } = process.env
const headers: Record<string, string> = METRICS_TOKEN ? { authorization: `Bearer ${METRICS_TOKEN}` } : {}

// promtool ends with another code than 0 at a fault, and this call throws then.
const check = (what: string, args: string[], input?: string) => {
  execFileSync(promtool, ['check', ...args], { input, stdio: ['pipe', 'inherit', 'inherit'] })
  process.stdout.write(`${what}: right\n`)
}

check('docs/alerts.yml', ['rules', 'docs/alerts.yml'])
for (const address of addresses) {
  const response = await fetch(address, { headers })
  if (!response.ok) throw new Error(`${address} answers with status ${response.status}`)
  check(address, ['metrics'], await response.text())
}
