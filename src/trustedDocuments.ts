import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { StartFailed } from './startFailed.ts'

/** The manifest of the SDK, the page and the commands. */
const OWN = fileURLToPath(new URL('../clients/operations/trusted-documents.json', import.meta.url))

/** As Apollo's tools write it for the web, Kotlin and iOS. */
const apolloManifest = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
  })
  .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const))

/** As Relay's compiler writes it: each text by its id. */
const relayManifest = z
  .record(z.string().min(1), z.string().min(1))
  .transform((texts) => Object.entries(texts))

/**
 * Returns the text of each trusted document by its id: those of our own clients, and those of the files.
 *
 * Throws StartFailed for a file that cannot be read or is no manifest, and for an id that stands for two texts.
 */
export function readTrustedDocuments(files: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const file of [OWN, ...files])
    for (const [id, text] of readManifest(file)) {
      if ((texts.get(id) ?? text) !== text)
        throw unusable(file, `the id ${id} stands for another text already`)
      texts.set(id, text)
    }
  return texts
}

function readManifest(file: string) {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw unusable(file, (error as Error).message)
  }
  const isApollo = typeof content === 'object' && content !== null && 'format' in content
  const { data, error } = (isApollo ? apolloManifest : relayManifest).safeParse(content)
  const [issue] = error?.issues ?? []
  if (issue) throw unusable(file, `${issue.path.join('.') || 'the file'}: ${issue.message}`)
  return data ?? []
}

function unusable(file: string, reason: string): StartFailed {
  return new StartFailed(`TRUSTED_DOCUMENTS_FILES: ${file} is no manifest of trusted documents: ${reason}.`)
}
