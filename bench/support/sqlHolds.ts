import pg from 'pg'
import type { Side } from './compare.ts'

export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

export interface SqlHoldsOptions {
  readonly url: string
  readonly answers: number
  next(): Statement
  /** Called with the row of each hold. */
  onHeld?(row: { from_row: number | null }): void
}

/** As many connections as the API's pool has. Like pgbench, each sends one statement after the other. */
const CONNECTIONS = 20

/** The limit of holds: the SQL statement alone. Throws an Error if a statement does not hold. */
export function sqlHolds({ url, answers, next, onHeld }: SqlHoldsOptions): Side & { stop(): Promise<void> } {
  const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: url }))
  const connected = Promise.all(clients.map((client) => client.connect()))
  return {
    name: 'the SQL alone',
    async run() {
      await connected
      let left = answers
      const startedAt = performance.now()
      await Promise.all(
        clients.map(async (client) => {
          while (left-- > 0) {
            const { rows } = await client.query(next())
            if (rows[0].outcome === 'missed') left++
            else if (rows[0].outcome !== 'held') throw new Error(`not held: ${rows[0].outcome}`)
            else onHeld?.(rows[0])
          }
        }),
      )
      return (1_000 * answers) / (performance.now() - startedAt)
    },
    async stop() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}
