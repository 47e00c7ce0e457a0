import type { Source } from './sources.ts'

/**
 * The folders from which a folder may import, besides itself: `resolvers, jobs, server -> sale -> payments -> sql, redis`.
 * The files of src/ itself are the vocabulary of all folders (money, keys, env), or the roots that build the processes.
 */
const LAYERS: Record<string, readonly string[]> = {
  'src/async': ['src'],
  'src/sql': ['src', 'src/async', 'src/generated'],
  'src/redis': ['src', 'src/async'],
  'src/push': ['src', 'src/async'],
  'src/payments': ['src', 'src/async', 'src/sql', 'src/redis'],
  'src/sale': ['src', 'src/async', 'src/sql', 'src/redis', 'src/payments', 'src/push'],
  'src/jobs': ['src', 'src/async', 'src/sale', 'src/sql', 'src/redis', 'src/payments'],
  'src/resolvers': ['src', 'src/async', 'src/sale', 'src/sql', 'src/redis', 'src/payments'],
  'src/server': ['src', 'src/async', 'src/resolvers', 'src/sale', 'src/sql', 'src/redis', 'src/payments'],
  'clients/sdk': [],
  'clients/codegen': [],
  'clients/web': ['clients/sdk'],
  // The doctor reads a server's configuration, and draw-plan reads a plan as the server does.
  'clients/cli': ['clients/sdk', 'src', 'src/server', 'src/sale'],
  'clients/surge': ['clients/sdk'],
}

/**
 * The rooms of a folder, the lowest first: a room may import from those before it, and types count. The files of src/sale
 * itself are the vocabulary of its rooms, and import from none of them. Those of src/server build its rooms, and no room
 * imports them.
 */
export const SALE_ROOMS = [
  'tokens',
  'plan',
  'draw',
  'room',
  'catalogue',
  'map',
  'sales',
  'joinGuard',
  'admission',
  'waitingRoom',
  'pacer',
  'holds',
  'orders',
  'letters',
  'documents',
  'waitlist',
  'turnAlerts',
  'events',
  'ops',
]
const SERVER_ROOMS = ['metrics', 'auth', 'fitness', 'graphql', 'http', 'broadcast', 'sockets']
const ROOMS: Readonly<Record<string, readonly (string | null)[]>> = {
  'src/sale': [null, ...SALE_ROOMS],
  'src/server': [...SERVER_ROOMS, null],
}

/**
 * The top folders that run, test and measure src/, the lowest first. A folder may import from src/, clients/ and the folders
 * before it.
 */
const AROUND_SRC = ['embedded', 'test', 'bench', 'scripts']

/** They put the parts together, so they may import any of src/; of the parts only app.ts's type may be known. */
const ROOTS = ['src/app.ts', 'src/main.ts', 'src/worker.ts']

/** Packages that belong to one place. Types of ioredis may pass through. */
const PACKAGES: { name: RegExp; where: RegExp; typesAnywhere?: boolean }[] = [
  { name: /^(pg|@prisma\/.*|#prisma)$/, where: /^src\/sql\// },
  { name: /^ioredis$/, where: /^src\/redis\//, typesAnywhere: true },
  { name: /^bullmq$/, where: /^src\/jobs\/bullmq\// },
  { name: /^(graphql|@pothos\/.*|@escape\.tech\/.*)$/, where: /^src\/(resolvers|server)\// },
  { name: /^(graphql-yoga|graphql-ws.*|ws|find-my-way|sirv|node:http)$/, where: /^src\/server\// },
  { name: /^node:https$/, where: /^src\/(server\/|push\/)/ },
  { name: /^web-push$/, where: /^src\/push\// },
]

/** One sentence for every import that runs against the layout. */
export function wrongImports(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ to, typesOnly }) => {
      const reason = isPath(to)
        ? wrongPath(source.path, to, typesOnly)
        : wrongPackage(source.path, to, typesOnly)
      return reason ? [`${source.path} imports ${to}: ${reason}`] : []
    }),
  )
}

function isPath(to: string): boolean {
  return /^(src|clients|embedded|test|scripts|bench)\//.test(to) || to.startsWith('..')
}

function wrongPath(from: string, to: string, typesOnly: boolean): string | null {
  const home = folderOf(from)
  const target = folderOf(to)
  if (AROUND_SRC.includes(home)) return wrongAroundSrc(home, target)
  if (home === target && ROOMS[home]) return wrongRoom(ROOMS[home], roomOf(from), roomOf(to))
  if (home === target && !ROOTS.includes(to)) return null
  if (ROOTS.includes(to)) {
    if (ROOTS.includes(from) && to === 'src/app.ts') return null
    const isTop = /^src\/(resolvers|server|jobs)\//.test(from)
    return isTop && to === 'src/app.ts' && typesOnly ? null : 'only types of src/app.ts, and only at the top'
  }
  if (home === 'src') {
    if (ROOTS.includes(from) && target.startsWith('src/')) return null
    return 'what all share imports none of those who share it'
  }
  const allowed = LAYERS[home]
  if (!allowed) return LAYERS[target] || target === 'src' ? null : `${home} is not in the layout`
  return allowed.includes(target) ? null : `${home} does not know ${target}`
}

function wrongAroundSrc(home: string, target: string): string | null {
  const isHigher = AROUND_SRC.indexOf(target) > AROUND_SRC.indexOf(home)
  return isHigher ? `${target} is above ${home}` : null
}

function wrongRoom(
  rooms: readonly (string | null)[],
  home: string | null,
  target: string | null,
): string | null {
  const [at, up] = [rooms.indexOf(home), rooms.indexOf(target)]
  if (at < 0 || up < 0) return `${at < 0 ? home : target} is not in the list of rooms`
  return up > at ? `${target ?? 'the folder itself'} is above ${home ?? 'the folder itself'}` : null
}

/** Null for a file of the folder itself. */
function roomOf(path: string): string | null {
  const [, , room = '', file] = path.split('/')
  return file === undefined ? null : room
}

function wrongPackage(from: string, name: string, typesOnly: boolean): string | null {
  if (!from.startsWith('src/') || ROOTS.includes(from)) return null
  const rule = PACKAGES.find((candidate) => candidate.name.test(name))
  if (!rule || rule.where.test(from) || (typesOnly && rule.typesAnywhere)) return null
  return `that package belongs to ${rule.where.source}`
}

function folderOf(path: string): string {
  const [top = '', second = '', third] = path.split('/')
  if (top === 'src' && third === undefined) return 'src'
  return top === 'src' || top === 'clients' ? `${top}/${second}` : top
}

/** Every circle of imports, as the files it passes, named once. Types count: a circle of words is one too. */
export function circles(sources: readonly Source[]): string[] {
  const edges = new Map(sources.map((source) => [source.path, source.imports.map(({ to }) => to)]))
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      found.add(nameOfCircle(trail.slice(start)))
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) if (edges.has(next)) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return [...found].sort()
}

function nameOfCircle(paths: string[]): string {
  const first = paths.indexOf([...paths].sort()[0] as string)
  const turned = [...paths.slice(first), ...paths.slice(0, first)]
  return [...turned, turned[0]].join(' -> ')
}

const SQL = /\bselect\b[\s\S]+\bfrom\b|\binsert\s+into\b|\bupdate\s+\w+\s+set\b|\bdelete\s+from\b/i

/** Files outside src/sql that hold SQL or reach for the database themselves. */
export function sqlOutsideItsFolder(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/sql/'))
    .flatMap(({ path, strings, code }) => {
      const statement = strings.find((text) => SQL.test(text))
      if (statement) return [`${path}: ${statement.trim().slice(0, 80)}`]
      const call = /(\$(query|execute)Raw|\.prisma\b|\.pipelined\b|\bpool\.query\b)/.exec(code)?.[0]
      return call ? [`${path}: ${call}`] : []
    })
}

/** Files outside src/redis that name a key or a channel. */
export function keysOutsideTheirFolder(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/redis/'))
    .flatMap(({ path, strings }) =>
      strings.filter((text) => text.startsWith('fg:')).map((text) => `${path}: ${text}`),
    )
}
