import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { printedSchema } from '../../../resolvers/schema.ts'
import { PUBLIC_HEADERS, sendCacheable, toDigested } from '../responses.ts'

const CHANGELOG = new URL('../../../../schema/CHANGELOG.md', import.meta.url)

const HEADERS = { ...PUBLIC_HEADERS, 'cache-control': 'public, max-age=300, stale-if-error=86400' }

/** The API as files for generators of clients, by their paths: the schema that this server runs, and its changes. */
export function createSchemaFiles() {
  return {
    '/schema.graphql': sender(printedSchema(), 'application/graphql; charset=utf-8'),
    '/schema-changelog.md': sender(readFileSync(CHANGELOG, 'utf8'), 'text/markdown; charset=utf-8'),
  }
}

function sender(text: string, contentType: string) {
  const file = toDigested(text, { ...HEADERS, 'content-type': contentType })
  return (request: IncomingMessage, response: ServerResponse) => sendCacheable(request, response, file)
}
