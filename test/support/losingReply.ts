import type { Database } from '../../src/sql/database/database.ts'

/** The database, where the first call of a function does its work and then loses its reply. */
export function losingReply(database: Database, statement: string): Database {
  let lost = false
  function lose<T>(sql: string, rows: T): T {
    if (lost || !sql.includes(statement)) return rows
    lost = true
    throw new Error('the reply was lost')
  }
  const prisma = new Proxy(database.prisma, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== '$queryRaw') return value
      return async (text: TemplateStringsArray | { sql: string }, ...values: unknown[]) =>
        lose('sql' in text ? text.sql : text.join(''), await target.$queryRaw(text as never, ...values))
    },
  })
  const pipelined: Database['pipelined'] = async (bound, eventId) =>
    lose(bound.sql, await database.pipelined(bound, eventId))
  return { ...database, prisma, pipelined }
}
