import { readdirSync, readFileSync } from 'node:fs'
import { buildSchema, Kind, parse, validate } from 'graphql'
import { expect, test } from 'vitest'

const docs = readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md'))
const PAGES = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)]
const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const schema = buildSchema(text('schema/schema.graphql'))

/** The GraphQL of a page; a block that shows a part of an input is no operation. */
const operationsOf = (page: string) =>
  [...text(page).matchAll(/```graphql\n([\s\S]*?)```/g)]
    .map(([, block]) => block as string)
    .filter((block) => /^(query|mutation|subscription|\{)/.test(block))
    .flatMap((block) => parse(block).definitions)

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test.each(PAGES)('every query that %s gives is valid', (page) => {
  const faults = operationsOf(page).flatMap((definition) =>
    validate(schema, { kind: Kind.DOCUMENT, definitions: [definition] }),
  )
  expect(faults.map(({ message }) => message)).toEqual([])
})

test('the queries of the docs are found', () => {
  expect(PAGES.flatMap(operationsOf).length).toBeGreaterThan(25)
})

test.each(PAGES)('every link of %s to another page, or within it, has a target', (page) => {
  const prose = text(page).replace(/```[\s\S]*?```/g, '')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)
  const missing = links.filter((link) => {
    if (/^https?:/.test(link)) return false
    const [path, anchor] = link.split('#') as [string, string?]
    const target = path === '' ? page : new URL(path, `file:///${page}`).pathname.slice(1)
    try {
      const found = text(target)
      if (anchor === undefined) return false
      const anchors = [...found.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading as string))
      return !anchors.includes(anchor) && !found.includes(`<a id="${anchor}">`)
    } catch {
      return true
    }
  })
  expect(missing).toEqual([])
})
