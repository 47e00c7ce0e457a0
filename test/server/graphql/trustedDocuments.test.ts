import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { expect, inject, test } from 'vitest'
import { WebSocket } from 'ws'
import { EventPageDocument, SaleDocument } from '../../../clients/sdk/generated/operations.ts'
import { createFairgate, memorySession } from '../../../clients/sdk/index.ts'
import { demoEvent } from '../../../embedded/demo.ts'
import { createPipeline } from '../../../src/server/graphql/lanes.ts'
import { readTrustedDocuments } from '../../../src/trustedDocuments.ts'
import { insertEvent } from '../../support/event.ts'
import { testServer } from '../../support/server.ts'

const OWN = new URL('../../../clients/operations/trusted-documents.json', import.meta.url)
const idOf = (operation: string): string =>
  JSON.parse(readFileSync(OWN, 'utf8')).operations.find(({ name }: never) => name === operation).id

function written(content: unknown): string {
  const path = join(inject('temporaryFolder'), `${randomUUID()}.json`)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const NAME =
  'query Name($slug: String!) {\n  eventBySlug(slug: $slug) {\n    id\n    name\n    __typename\n  }\n}'
const operations = [{ id: 'a'.repeat(64), name: 'Name', type: 'query', body: NAME }]
const app1 = written({ format: 'apollo-persisted-query-manifest', version: 1, operations })

const { url, app, db } = await testServer({ TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILES: app1 })
const event = await insertEvent(db)
const variables = { slug: event.slug }

test('the SDK works on a server that runs trusted documents only, over HTTP and the socket', async () => {
  const fairgate = createFairgate({ url, session: memorySession(), webSocket: WebSocket })
  expect((await fairgate.sales.page(event.slug))?.id).toBe(event.id)
  const state = new Promise((resolve, reject) => {
    const stop = fairgate.sales.watch(
      event.id,
      (sale) => {
        stop()
        resolve(sale.state)
      },
      reject,
      'socket',
    )
  })
  expect(await state).toBe('ON_SALE')
  fairgate.close()
})

test('npm start makes its demo event on such a server', async () => {
  const { hostname: host, port } = new URL(url)
  const event = await demoEvent({ ...app.env, host, port: Number(port) })
  expect(event.sale.available).toBe(1_231)
})

test("Apollo's client sends the id of its own manifest, by POST and by GET", async () => {
  for (const useGETForHashedQueries of [false, true]) {
    const sent: string[] = []
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.from([
        new PersistedQueryLink({ generateHash: () => 'a'.repeat(64), useGETForHashedQueries }),
        new HttpLink({
          uri: `${url}/graphql`,
          fetch(to, init) {
            sent.push(String(init?.body ?? to))
            return fetch(to, init)
          },
        }),
      ]),
    })
    const { data } = await client.query<{ eventBySlug: { id: string } }>({ query: gql(NAME), variables })
    expect(data?.eventBySlug.id).toBe(event.id)
    expect(sent).toHaveLength(1)
    expect(sent[0]).not.toContain('eventBySlug')
    client.stop()
  }
})

test('an unknown id and an unknown text are refused in the words and with the code that clients look for', async () => {
  const ask = async (body: object) =>
    (
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'b'.repeat(64) } }
  const code = 'PERSISTED_QUERY_NOT_FOUND'
  expect(await ask({ extensions })).toEqual({
    errors: [{ message: 'PersistedQueryNotFound', extensions: { code } }],
  })
  expect(await ask({ query: '{ __schema { queryType { name } } }' })).toMatchObject({
    errors: [
      { message: expect.stringContaining('runs only the documents of its manifests'), extensions: { code } },
    ],
  })
  // A known hash beside another text: the text decides.
  const known = { persistedQuery: { version: 1, sha256Hash: idOf('EventPage') } }
  expect((await ask({ query: '{ __typename }', extensions: known })).errors[0].extensions.code).toBe(code)
  expect((await ask({ variables, extensions: known })).data.eventBySlug.id).toBe(event.id)
})

test('a hash that no client makes, and a request without a document, are refused', async () => {
  for (const persistedQuery of [null, 1, {}, { sha256Hash: ['__proto__'] }, { sha256Hash: 'constructor' }]) {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ extensions: { persistedQuery } }),
    })
    expect((await response.json()).errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
  }
  expect((await fetch(`${url}/graphql`)).status).toBe(400)
})

test('a file that is no manifest, a file that is away, and an id with two texts are named', () => {
  const reads = (content: unknown) => () => readTrustedDocuments([written(content)])
  expect(reads({ format: 'apollo-persisted-query-manifest', version: 2, operations: [] })).toThrow(/version/)
  expect(reads([1])).toThrow(/TRUSTED_DOCUMENTS_FILES: .* is no manifest/)
  expect(reads({ [idOf('Sale')]: EventPageDocument.text })).toThrow(/stands for another text already/)
  expect(() => readTrustedDocuments(['/nowhere.json'])).toThrow(/nowhere\.json is no manifest .*ENOENT/)
  expect(readTrustedDocuments([written({ md5: SaleDocument.text })]).get('md5')).toBe(SaleDocument.text)
})

test('a trusted document that the schema does not know keeps the server from starting', () => {
  const trustedDocuments = new Map([['a1', '{ eventBySlug(slug: "a") { title } }']])
  expect(() => createPipeline({} as never, { trustedDocuments })).toThrow(
    /TRUSTED_DOCUMENTS: the document a1 cannot run: Cannot query field "title"/,
  )
})
