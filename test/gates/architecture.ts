// npm run architecture: draws the picture in docs/architecture.md again, from the imports.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Source, sourcesBelow } from './sources.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = 'docs/architecture.md'
const PICTURE = /```mermaid\n[\s\S]*?^```$/m

/** The text of docs/architecture.md. */
export function page(): string {
  return readFileSync(join(ROOT, PAGE), 'utf8')
}

/** The page with its picture as the imports are now. */
export function redrawn(page: string, sources: readonly Source[]): string {
  return page.replace(PICTURE, () => `\`\`\`mermaid\n${picture(sources)}\n\`\`\``)
}

/** Folders that nearly every room imports: the picture leaves their arrows out. */
const EVERYWHERE = ['async', 'src']

/**
 * The rooms and their imports as a Mermaid flowchart. An arrow that follows from two others is left out, so the
 * picture has only the arrows that define the order. Throws for rooms that import each other in a circle.
 */
export function picture(sources: readonly Source[]): string {
  const imports = roomImports(sources)
  const reach = reachOf(imports)
  const lines = ['flowchart TD']
  for (const group of ['server', 'sale']) {
    const rooms = [...imports.keys()].filter((room) => room === group || room.startsWith(`${group}/`))
    lines.push(
      `  subgraph ${group}_rooms [src/${group}]`,
      ...rooms.map((room) => `    ${nodeOf(room)}`),
      '  end',
    )
  }
  for (const [from, targets] of imports) {
    for (const to of targets) {
      const isImplied = [...targets].some((other) => other !== to && reach.get(other)?.has(to))
      if (!isImplied) lines.push(`  ${nodeOf(from)} --> ${nodeOf(to)}`)
    }
  }
  return lines.join('\n')
}

function nodeOf(room: string): string {
  return `${room.replace('/', '_')}["${room.split('/').at(-1)}"]`
}

function roomImports(sources: readonly Source[]): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>()
  for (const { path, imports: targets } of sources) {
    const from = roomOf(path)
    if (EVERYWHERE.includes(from)) continue
    const known = imports.get(from) ?? new Set()
    imports.set(from, known)
    for (const { to } of targets) {
      const room = to.startsWith('src/') && !to.startsWith('src/generated/') ? roomOf(to) : from
      if (room !== from && !EVERYWHERE.includes(room)) known.add(room)
    }
  }
  return new Map(
    [...imports].sort(([a], [b]) => a.localeCompare(b)).map(([room, to]) => [room, new Set([...to].sort())]),
  )
}

const ROOTS: Readonly<Record<string, string>> = {
  'src/main.ts': 'main',
  'src/worker.ts': 'worker',
  'src/app.ts': 'app',
}

/** `sale/room`, `server/http`, `jobs`; `src` for the vocabulary of all folders. */
function roomOf(path: string): string {
  const root = ROOTS[path]
  if (root) return root
  const [, top = '', second = '', third] = path.split('/')
  if (second === '') return 'src'
  return (top === 'sale' || top === 'server') && third !== undefined ? `${top}/${second}` : top
}

function reachOf(imports: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const reach = new Map<string, Set<string>>()
  const visit = (room: string, trail: readonly string[]): Set<string> => {
    if (trail.includes(room)) throw new Error(`rooms import each other: ${[...trail, room].join(' -> ')}`)
    const known = reach.get(room)
    if (known) return known
    const found = new Set<string>()
    for (const next of imports.get(room) ?? [])
      for (const far of [next, ...visit(next, [...trail, room])]) found.add(far)
    reach.set(room, found)
    return found
  }
  for (const room of imports.keys()) visit(room, [])
  return reach
}

/** Links of the form [`name`](../path): one sentence for each whose file, or whose definition in it, does not exist. */
export function brokenLinks(page: string): string[] {
  return [...page.matchAll(/\[`([^`]+)`\]\((\.\.\/[^)#]+)\)/g)].flatMap(([, name = '', to = '']) => {
    const path = join(dirname(PAGE), to)
    if (!existsSync(join(ROOT, path))) return [`${path} does not exist`]
    if (name.includes('/') || name.includes('.')) return []
    const defines = new RegExp(`(\\b(function|const|class|interface|type)\\s+${name}\\b|\\b${name}\\s*[(:=])`)
    return defines.test(readFileSync(join(ROOT, path), 'utf8')) ? [] : [`${path} defines no ${name}`]
  })
}

if (import.meta.main) writeFileSync(join(ROOT, PAGE), redrawn(page(), sourcesBelow('src')))
