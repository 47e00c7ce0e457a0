import type { Prisma } from '#prisma'

/** A statement's values, ready for `$queryRaw`. */
export type Statement = (...values: readonly unknown[]) => Prisma.Sql

/**
 * A statement whose text is put together once, for what is called at every turn: a tagged template is taken apart and put
 * together again at each call. Of an `Sql` `$queryRaw` reads these.
 */
export function statement(text: string): Statement {
  return (...values) => ({ sql: text, text, values }) as unknown as Prisma.Sql
}
