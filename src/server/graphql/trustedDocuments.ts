import { GraphQLError } from 'graphql'
import {
  type Fault,
  persistedQueryNotFound,
  persistedQueryNotSupported,
  untrustedDocument,
} from '../../sale/faults.ts'
import { StartFailed } from '../../startFailed.ts'
import type { Documents } from './documents.ts'

/** What a request says about its document. `query` is absent or empty where the hash stands for it. */
export interface DocumentRequest {
  readonly query?: string | null
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

export interface TrustedDocuments {
  /**
   * Returns the text of the document that a request asks for; or PERSISTED_QUERY_NOT_SUPPORTED or PERSISTED_QUERY_NOT_FOUND, as
   * Apollo's clients expect: https://www.apollographql.com/docs/apollo-server/performance/apq
   */
  textOf(request: DocumentRequest): string | Fault
}

/** Every text is trusted, and no hash. */
const ANY_DOCUMENT: TrustedDocuments = {
  textOf({ query, extensions }) {
    if (!query && extensions?.persistedQuery !== undefined) return persistedQueryNotSupported()
    return query ?? ''
  },
}

/**
 * Trusts only the texts given by their ids; null trusts every text. A client sends the id (`extensions.persistedQuery.sha256Hash`)
 * or the very text.
 *
 * Throws StartFailed where a text is no valid document: an operator sees it before a fan does.
 */
export function createTrustedDocuments(
  byId: ReadonlyMap<string, string> | null,
  documents: Documents,
): TrustedDocuments {
  if (!byId) return ANY_DOCUMENT
  for (const [id, text] of byId) requireValid(id, text, documents)
  const texts = new Set(byId.values())
  return {
    textOf({ query, extensions }) {
      const asked = extensions?.persistedQuery
      if (query) return texts.has(query) ? query : untrustedDocument()
      // No document: the lane says so.
      if (asked === undefined) return ''
      return byId.get(hashOf(asked)) ?? persistedQueryNotFound()
    },
  }
}

function hashOf(persistedQuery: unknown): string {
  return String((persistedQuery as { sha256Hash?: unknown } | null)?.sha256Hash)
}

function requireValid(id: string, text: string, documents: Documents) {
  const parsed = documents.parse(text)
  const [fault] = parsed instanceof GraphQLError ? [parsed] : documents.validate(parsed)
  if (fault) throw new StartFailed(`TRUSTED_DOCUMENTS: the document ${id} cannot run: ${fault.message}`)
}
