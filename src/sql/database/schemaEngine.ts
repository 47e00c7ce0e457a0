import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

const SCHEMA = new URL('../../../prisma/schema.prisma', import.meta.url)
const MIGRATIONS = new URL('../../../prisma/migrations/', import.meta.url)

/** The engine sees every table: all of the database is ours. */
export const EVERYTHING = { externalTables: [], externalEnums: [] }

/** `schema.prisma` in the engine's form. */
async function schemaFiles() {
  return { files: [{ path: 'prisma/schema.prisma', content: await readFile(SCHEMA, 'utf8') }] }
}

/** The committed migrations, oldest first. */
export async function migrationList(): Promise<MigrationList> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return {
    baseDir: fileURLToPath(MIGRATIONS),
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(new URL('migration_lock.toml', MIGRATIONS), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(new URL(`${name}/migration.sql`, MIGRATIONS), 'utf8'),
          },
        },
      })),
    ),
  }
}

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')
let loaded: Promise<EngineModule> | undefined

/**
 * Runs `work` with the WASM build of Prisma's schema engine on a database. The native engine is a download of its
 * own, which closed networks refuse.
 */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= load()
  const module = await loaded
  const pool = new pg.Pool({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  pool.on('error', () => {})
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(adapterFactory(pool))
    const datamodels = (await schemaFiles()).files.map(({ path, content }): [string, string] => [
      path,
      content,
    ])
    const engine = await module.SchemaEngine.new({ datamodels }, () => {}, adapter)
    try {
      return await work(engine)
    } finally {
      engine.free()
    }
  } finally {
    await pool.end()
  }
}

/** The SQL that would bring a database's tables to `schema.prisma`; null where they agree. */
export async function differenceFromSchema(databaseUrl: string): Promise<string | null> {
  const schema = await schemaFiles()
  const { exitCode, stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'schemaDatasource', ...schema, configDir: '.' },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: true,
      filters: EVERYTHING,
    }),
  )
  return exitCode === 0 ? null : stdout
}

const INTERNAL_CHAR = 18
const TEXT = 25

/**
 * PostgreSQL's catalogue has columns of its internal type "char", one byte. The engine needs them to describe a database,
 * and the adapter does not support them. This factory shows them to the adapter as text, and to the engine as one
 * character; pg reads the byte 0 as an empty string.
 */
function adapterFactory(pool: pg.Pool): PrismaPg {
  const charColumns = new WeakMap<unknown[], number[]>()
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryArrayResult>
  const queryAsText = async (...args: unknown[]) => {
    const result = await query(...args)
    for (const [column, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== INTERNAL_CHAR) continue
      field.dataTypeID = TEXT
      charColumns.set(result.rows, [...(charColumns.get(result.rows) ?? []), column])
    }
    return result
  }
  const factory = new PrismaPg(Object.assign(pool, { query: queryAsText }))
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (statement) => {
      const result = await queryRaw(statement)
      for (const column of charColumns.get(result.rows) ?? []) {
        result.columnTypes[column] = ColumnTypeEnum.Character
        for (const row of result.rows) if (row[column] === '') row[column] = '\0'
      }
      return result
    }
    return adapter
  }
  return factory
}

// Node loads no `.wasm` import without a flag, so the package's own entry does not work here. This function does the
// same by hand.
async function load(): Promise<EngineModule> {
  const module: EngineModule & { __wbg_set_wasm?: (exports: WebAssembly.Exports) => void } = await import(
    '@prisma/schema-engine-wasm/schema_engine_bg'
  )
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const { instance } = await WebAssembly.instantiate(await readFile(path.replace(/\.js$/, '.wasm')), {
    './schema_engine_bg.js': Object.fromEntries(
      Object.entries(module as unknown as WebAssembly.ModuleImports).map(([name, value]) => [
        name,
        name.startsWith('__wbg_setTimeout_') ? timeoutThatEnds : value,
      ]),
    ),
  })
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: panicked } })
  module.__wbg_set_wasm?.(instance.exports)
  ;(instance.exports.__wbindgen_start as () => void)()
  return module
}

// The engine never clears its lock's timer of 10 s, which would keep the process alive.
function timeoutThatEnds(callback: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(callback, ms).unref()
}

function panicked(message: string): never {
  throw new Error(`Prisma's schema engine panicked: ${message}`)
}
