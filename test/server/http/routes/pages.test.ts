import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createCatalogue } from '../../../../src/sale/catalogue/catalogue.ts'
import { createPriority, limitsFor } from '../../../../src/server/graphql/priority.ts'
import { createPages } from '../../../../src/server/http/routes/pages.ts'
import { cleanUp } from '../../../support/cleanUp.ts'
import { testDatabase } from '../../../support/database.ts'
import { insertEvent } from '../../../support/event.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { testServer } from '../../../support/server.ts'

const db = await testDatabase()
const { slug } = await insertEvent(db)

const priority = createPriority({ limits: limitsFor(10) })

/** The pages of one process, whose build is in `folder`. */
async function serve(folder: string, database = db.another(), roomUrl: string | null = null) {
  const pages = createPages(
    { app: { catalogue: createCatalogue(database), env: { roomUrl } }, priority },
    folder,
  )
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/assets/')) return pages.sendAsset(request, response)
    pages.sendPage(request, response, path.slice('/e/'.length)).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async (path: string, accept = 'identity') => {
    const answer = await fetch(url + path, { headers: { 'accept-encoding': accept } })
    return {
      status: answer.status,
      text: await answer.text(),
      ...(accept !== 'identity' && { encoding: answer.headers.get('content-encoding') }),
    }
  }
}

test('a process without a built page starts, and answers how to build it', async () => {
  const get = await serve(join(temporaryFolder('page'), 'never-built'))
  for (const path of [`/e/${slug}`, `/e/${slug.toUpperCase()}`, '/assets/main.js'])
    expect(await get(path)).toEqual({
      status: 503,
      text: expect.stringContaining('run \\"npm run build:web\\"'),
    })
  expect((await get('/e/nowhere')).status).toBe(404)
})

test('the page of an event is served without a second read of the database', async () => {
  const folder = join(temporaryFolder('page'), 'built')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(folder, 'assets/main.js'), 'export {}')
  const database = db.another()
  let reads = 0
  database.pool.on('acquire', () => reads++)
  const get = await serve(folder, database)
  for (let i = 0; i < 5; i++) expect((await get(`/e/${slug}`)).status).toBe(200)
  expect(reads).toBe(1)
  // An unknown slug is read again.
  expect((await get('/e/soon')).status).toBe(404)
  await db.sql("update events set slug = 'soon' where slug = $1", [(await insertEvent(db)).slug])
  expect((await get('/e/soon')).status).toBe(200)
  expect(await get('/assets/main.js')).toEqual({ status: 200, text: 'export {}' })
  expect((await get('/assets/other.js')).status).toBe(404)
})

test('the page and its files are sent compressed to clients that accept it', async () => {
  const folder = join(temporaryFolder('page'), 'compressed')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(folder, 'assets/main.js'), 'export {}')
  writeFileSync(join(folder, 'assets/main.js.br'), brotliCompressSync('export {}'))
  writeFileSync(join(folder, 'assets/main.js.gz'), gzipSync('export {}'))
  const get = await serve(folder)
  expect(await get(`/e/${slug}`, 'gzip')).toMatchObject({
    encoding: 'gzip',
    text: expect.stringMatching('page'),
  })
  expect((await get(`/e/${slug}`, 'identity')).text).toMatch('<title>page</title>')
  expect(await get('/assets/main.js', 'gzip, br')).toMatchObject({ encoding: 'br', text: 'export {}' })
  expect(await get('/assets/main.js', 'gzip')).toMatchObject({ encoding: 'gzip', text: 'export {}' })
  expect((await get('/assets/main.js', 'identity')).text).toBe('export {}')
})

test('a file that a new build removed fails its own request only', async () => {
  const folder = join(temporaryFolder('page'), 'rebuilt')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>')
  for (const name of ['old.js', 'kept.js']) writeFileSync(join(folder, 'assets', name), 'export {}')
  const get = await serve(folder)
  rmSync(join(folder, 'assets/old.js'))
  await expect(get('/assets/old.js')).rejects.toThrow('fetch failed')
  expect(await get('/assets/kept.js')).toEqual({ status: 200, text: 'export {}' })
})

test('the page names the address of the waiting room, where that has processes of its own', async () => {
  const folder = join(temporaryFolder('page'), 'apart')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><head><title>page</title></head>')
  const room = 'https://tickets.example.com/room'
  const [apart, together] = [await serve(folder, db.another(), room), await serve(folder)]
  expect((await apart(`/e/${slug}`)).text).toContain(`<meta name="fairgate-room" content="${room}">`)
  expect((await together(`/e/${slug}`)).text).not.toContain('fairgate-room')
})

test('the bare address redirects to the demo in the embedded default only', async () => {
  const status = async (url: string, path: string) => {
    const { status, headers } = await fetch(url + path, { redirect: 'manual' })
    return [status, headers.get('location')]
  }
  const embedded = await testServer()
  for (const path of ['/', '/e', '/e/']) expect(await status(embedded.url, path)).toEqual([302, '/e/demo'])
  const real = await testServer({
    EMBEDDED: 'false',
    JWKS_URL: 'http://127.0.0.1:1/jwks.json',
    JWT_ISSUER: 'https://accounts.example.com',
    JWT_AUDIENCE: 'fairgate',
    PAYMENTS: 'sandbox',
  })
  for (const path of ['/', '/e', '/e/']) expect(await status(real.url, path)).toEqual([404, null])
})
