import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import type pg from 'pg'

const SCHEMA = new URL('../../prisma/schema.prisma', import.meta.url)
const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url)

/** Hides nothing from the engine: every table of the database is ours. */
export const EVERYTHING = { externalTables: [], externalEnums: [] }

/** `schema.prisma` in the shape in which the engine takes it. */
export async function schemaFiles() {
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
 * Runs `work` with the WASM build of Prisma's schema engine on the pool's database. WASM, because the
 * native engine is a download of its own that closed networks refuse.
 */
export async function withSchemaEngine<T>(
  pool: pg.Pool,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= load()
  const module = await loaded
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool))
  const datamodels = (await schemaFiles()).files.map(({ path, content }): [string, string] => [path, content])
  const engine = await module.SchemaEngine.new({ datamodels }, () => {}, adapter)
  try {
    return await work(engine)
  } finally {
    engine.free()
  }
}

// Node loads no `.wasm` import without a flag, so the package's own entry does not work here: this is
// what it does, by hand.
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
  module.__wbg_set_wasm?.(instance.exports)
  ;(instance.exports.__wbindgen_start as () => void)()
  return module
}

// The engine never clears the 10 s that it gives its own lock, and would keep the process up for them.
function timeoutThatEnds(callback: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(callback, ms).unref()
}
