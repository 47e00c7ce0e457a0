import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { circles, keysOutsideTheirFolder, SALE_ROOMS, sqlOutsideItsFolder, wrongImports } from './layers.ts'
import { readSource, sourcesBelow } from './sources.ts'

const src = sourcesBelow('src')
const clients = sourcesBelow('clients')
const aroundSrc = ['embedded', 'test', 'bench', 'scripts'].flatMap(sourcesBelow)

test('there is something to look at', () => {
  expect(src.length).toBeGreaterThan(10)
  expect(src.flatMap(({ imports }) => imports).length).toBeGreaterThan(20)
})

test('imports run one way', () => {
  expect(wrongImports([...src, ...clients, ...aroundSrc])).toEqual([])
})

test('the list of rooms names every room of the sale', () => {
  const folders = readdirSync(new URL('../../src/sale', import.meta.url), { withFileTypes: true })
  const rooms = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(rooms.toSorted()).toEqual(SALE_ROOMS.toSorted())
})

test('no imports run in a circle', () => {
  expect(circles([...src, ...clients])).toEqual([])
})

test('SQL stands in src/sql only', () => {
  expect(sqlOutsideItsFolder(src)).toEqual([])
})

test('Redis keys and channels are named in src/redis only', () => {
  expect(keysOutsideTheirFolder(src)).toEqual([])
})

describe('the check itself', () => {
  const file = (path: string, text: string) => readSource(path, text)

  test('reads every form of import, and which bring types only', () => {
    const { imports } = file(
      'src/sale/a.ts',
      `import a, { type B } from './b.ts' // from 'nowhere'
       import { type C, type D } from '../sql/c.ts'
       import type { E } from "pg"
       import './effect.ts'
       export { f } from './f.ts'
       export * from './g.ts'
       const text = "import x from './x.ts'"
       const lazy = await import('./h.ts')`,
    )
    expect(imports).toEqual([
      { to: 'src/sale/b.ts', typesOnly: false },
      { to: 'src/sql/c.ts', typesOnly: true },
      { to: 'pg', typesOnly: true },
      { to: 'src/sale/f.ts', typesOnly: false },
      { to: 'src/sale/g.ts', typesOnly: false },
      { to: 'src/sale/effect.ts', typesOnly: false },
      { to: 'src/sale/h.ts', typesOnly: false },
    ])
  })

  test.each([
    ['src/sale/a.ts', '../resolvers/b.ts'],
    ['src/sale/a.ts', '../server/b.ts'],
    ['src/sale/a.ts', 'graphql'],
    ['src/sale/a.ts', 'bullmq'],
    ['src/sale/a.ts', 'pg'],
    ['src/sale/a.ts', 'ioredis'],
    ['src/sql/a.ts', '../sale/b.ts'],
    ['src/redis/a.ts', '../sql/b.ts'],
    ['src/jobs/a.ts', '../resolvers/b.ts'],
    ['src/jobs/a.ts', '../app.ts'],
    ['src/sale/a.ts', '../app.ts'],
    ['src/money.ts', './sale/b.ts'],
    ['src/sale/a.ts', '../../test/support/b.ts'],
    ['src/server/a.ts', '../../embedded/b.ts'],
    ['clients/sdk/a.ts', '../../src/money.ts'],
    ['clients/sdk/a.ts', '../web/b.ts'],
    ['src/sale/a.ts', './tokens/b.ts'],
    ['src/sale/map/a.ts', '../sales/b.ts'],
    ['src/sale/unknown/a.ts', '../tokens/b.ts'],
    ['test/a.test.ts', '../scripts/b.ts'],
    ['embedded/a.ts', '../test/support/b.ts'],
  ])('refuses %s that imports %s', (path, specifier) => {
    expect(wrongImports([file(path, `import { x } from '${specifier}'`)])).toHaveLength(1)
  })

  test('refuses a type from a folder above', () => {
    const typed = (path: string, from: string) => file(path, `import type { X } from '${from}'`)
    expect(wrongImports([typed('src/sql/a.ts', '../payments/b.ts')])).toHaveLength(1)
    expect(wrongImports([typed('src/redis/a.ts', '../sql/b.ts')])).toHaveLength(1)
  })

  test.each([
    ['src/resolvers/a.ts', '../sale/b.ts'],
    ['src/sale/a.ts', '../sql/b.ts'],
    ['src/sql/a.ts', '#prisma'],
    ['src/server/a.ts', 'graphql-yoga'],
    ['src/main.ts', './server/index.ts'],
    ['src/app.ts', './sale/b.ts'],
    ['clients/web/a.ts', '../sdk/b.ts'],
    ['clients/surge/a.ts', 'ws'],
    ['src/sale/sales/a.ts', '../map/b.ts'],
    ['src/sale/map/a.ts', '../saleView.ts'],
    ['scripts/a.ts', '../test/support/b.ts'],
  ])('lets %s import %s', (path, specifier) => {
    expect(wrongImports([file(path, `import { x } from '${specifier}'`)])).toEqual([])
  })

  test('counts types among the imports that may not point up', () => {
    const bad = file('src/sale/map/a.ts', `import type { Sales } from '../sales/b.ts'`)
    expect(wrongImports([bad])).toEqual(['src/sale/map/a.ts imports src/sale/sales/b.ts: sales is above map'])
  })

  test('finds a circle, also through types', () => {
    const ring = [
      file('src/sale/a.ts', `import { b } from './b.ts'`),
      file('src/sale/b.ts', `import type { C } from './c.ts'`),
      file('src/sale/c.ts', `export * from './a.ts'`),
      file('src/sale/d.ts', `import { a } from './a.ts'`),
    ]
    expect(circles(ring)).toEqual(['src/sale/a.ts -> src/sale/b.ts -> src/sale/c.ts -> src/sale/a.ts'])
  })

  test('finds SQL and keys where they do not belong', () => {
    const bad = file('src/sale/a.ts', 'pool.query(`select *\n from seats`); redis.get(`fg:{x}:places`)')
    expect(sqlOutsideItsFolder([bad])).toHaveLength(1)
    expect(keysOutsideTheirFolder([bad])).toHaveLength(1)
    expect(sqlOutsideItsFolder([file('src/sale/a.ts', 'db.prisma.seat.findMany()')])).toHaveLength(1)
    const comment = file('src/sale/a.ts', '// select x from y, fg:{x}')
    expect(sqlOutsideItsFolder([comment])).toEqual([])
    expect(keysOutsideTheirFolder([comment])).toEqual([])
  })
})
