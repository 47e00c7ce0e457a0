import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Import {
  /** A path from the repository's root, or the name of a package. */
  readonly to: string
  readonly typesOnly: boolean
}

export interface Source {
  /** From the repository's root. */
  readonly path: string
  readonly imports: readonly Import[]
  /** The text of every string and template in it. */
  readonly strings: readonly string[]
  /** The code with empty strings and without comments. */
  readonly code: string
}

/** Returns every TypeScript file below a folder of the repository, but for those that Prisma generates. */
export function sourcesBelow(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('src/generated/') && !path.includes('node_modules/'))
    .sort()
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')))
}

const STATEMENT = /\b(import|export)\s+(type\s+)?([^;'"`()]*?)\bfrom\s+§(\d+)§/g
const SIDE_EFFECT = /\bimport\s+§(\d+)§/g
const DYNAMIC = /\bimport\s*\(\s*§(\d+)§/g

export function readSource(path: string, text: string): Source {
  const { marked, strings } = tokenize(text)
  const target = (n: string) => resolveImport(path, strings[Number(n)] ?? '')
  const imports: Import[] = []
  for (const [, , type, names = '', n = ''] of marked.matchAll(STATEMENT)) {
    const braced = /^\s*\{(.*)\}\s*$/s.exec(names)?.[1]
    const allTypes =
      braced
        ?.split(',')
        .filter((name) => name.trim() !== '')
        .every((name) => /^\s*type\s/.test(name)) ?? false
    imports.push({ to: target(n), typesOnly: type !== undefined || allTypes })
  }
  for (const [, n = ''] of [...marked.matchAll(SIDE_EFFECT), ...marked.matchAll(DYNAMIC)]) {
    imports.push({ to: target(n), typesOnly: false })
  }
  return { path, imports, strings, code: marked.replaceAll(/§\d+§/g, "''") }
}

function resolveImport(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(path), specifier))
  return specifier
}

/**
 * Replaces strings and templates by numbered marks, and drops comments. It does not parse regular expressions or nested
 * templates. That is enough to find imports and SQL, without a parser as a dependency.
 */
function tokenize(text: string): { marked: string; strings: string[] } {
  const strings: string[] = []
  const marked = text.replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    (token) => {
      if (token.startsWith('/')) return ' '
      return `§${strings.push(token.slice(1, -1)) - 1}§`
    },
  )
  return { marked, strings }
}
