import type { Prisma } from '#prisma'

/** A statement's values, ready for `$queryRaw` or `pipelined`. */
export type Statement = (...values: readonly unknown[]) => Prisma.Sql

const NAMES = new Map<string, string>()

/**
 * A statement that each connection prepares once, under `name`. Its text is put together once, for what runs many times a
 * second: a tagged template is taken apart and put together again at each call. `$queryRaw` reads these fields of an `Sql`.
 */
export function statement(name: string, text: string): Statement {
  NAMES.set(text, name)
  return (...values) => ({ sql: text, text, values }) as unknown as Prisma.Sql
}

/** The name under which to prepare a statement of this text; undefined for one that `statement` did not make. */
export function nameOfStatement({ sql }: { sql: string }): string | undefined {
  return NAMES.get(sql)
}
