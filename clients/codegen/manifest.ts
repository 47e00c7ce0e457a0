import { createHash } from 'node:crypto'
import { type OperationDocuments, sentText } from './documents.ts'

/**
 * Returns the manifest of trusted documents in Apollo's format: each operation of clients/operations, by the SHA-256 of the text
 * that the SDK sends. https://www.apollographql.com/docs/graphos/platform/security/persisted-queries
 */
export function manifestOf(documents: OperationDocuments): string {
  const operations = documents.operations.map((operation) => {
    const body = sentText(operation, documents.fragments)
    const id = createHash('sha256').update(body).digest('hex')
    return { id, name: operation.name, type: operation.type, body }
  })
  operations.sort((a, b) => (a.name < b.name ? -1 : 1))
  const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
