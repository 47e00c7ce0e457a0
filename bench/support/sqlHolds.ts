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
  /** Told of each hold. */
  held?(row: { from_row: number | null }): void
}

/** As many connections as the API's pool has, each with a statement under way and nothing around it: as pgbench does it. */
const CONNECTIONS = 20

/** The statement alone, called by as many as call the API's. Throws where it does not hold. */
export function sqlHolds({ url, answers, next, held }: SqlHoldsOptions): Side & { stop(): Promise<void> } {
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
            else held?.(rows[0])
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
