import { expect, test } from 'vitest'
import { brokenLinks, page, picture, redrawn } from './architecture.ts'
import { readSource, sourcesBelow } from './sources.ts'

test('the picture in docs/architecture.md is drawn from the imports (npm run architecture)', () => {
  expect(page()).toBe(redrawn(page(), sourcesBelow('src')))
})

test('every file and function that docs/architecture.md links to exists', () => {
  expect(page().match(/\]\(\.\.\/(src|prisma)\//g)?.length).toBeGreaterThan(20)
  expect(brokenLinks(page())).toEqual([])
})

test('a link to a missing file or function is found', () => {
  expect(brokenLinks('[`hold`](../src/sale/missing.ts) and [`nothingLikeIt`](../src/app.ts)')).toEqual([
    'src/sale/missing.ts does not exist',
    'src/app.ts defines no nothingLikeIt',
  ])
})

test('the picture leaves out an arrow that follows from two others, and refuses a circle', () => {
  const source = (path: string, ...to: string[]) =>
    readSource(path, to.map((specifier) => `import '${specifier}'`).join('\n'))
  const drawn = picture([
    source('src/jobs/a.ts', '../sale/room/b.ts', '../sql/c.ts'),
    source('src/sale/room/b.ts', '../../sql/c.ts', '../../async/d.ts', '../../env.ts'),
    source('src/sql/c.ts'),
  ])
  expect(drawn).toContain('jobs["jobs"] --> sale_room["room"]')
  expect(drawn).toContain('sale_room["room"] --> sql["sql"]')
  expect(drawn).not.toContain('jobs["jobs"] --> sql["sql"]')
  expect(drawn).not.toContain('async')
  expect(() =>
    picture([source('src/sql/a.ts', '../redis/b.ts'), source('src/redis/b.ts', '../sql/a.ts')]),
  ).toThrow('redis -> sql -> redis')
})
