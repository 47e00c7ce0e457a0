import {
  type ASTVisitor,
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  specifiedRules,
  type ValidationContext,
  validate,
  visit,
} from 'graphql'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { schema } from '../../resolvers/schema.ts'
import { NoIntrospection } from './introspection.ts'

/** Bounds of one document. The bounds of one operation are in cost.ts. */
const LIMITS = {
  tokens: 2_000,
  /** Of one field that has a selection or arguments. */
  repeats: 100,
  /** Of one other field: more than one operation may select (`breadth` in cost.ts). */
  leafRepeats: 500,
  spreads: 100,
  aliases: 30,
  /** Each error counts the lines before each of its places. A document of this many tokens needs no more lines. */
  lines: 2_000,
  /** Validation stops here. Each fault searches for similar names. */
  faults: 5,
} as const

/** In each cache, 1,000 at most. A client has a few dozen documents. */
const DOCUMENTS_AT_LEAST = 500
const LONGEST_KEPT = 10_000

export interface Documents {
  /** The document, or the reason why the text is none. Both are cached by the text. */
  parse(text: string): DocumentNode | GraphQLError
  /** The same for a text that was read before and is in the cache; else undefined. */
  known(text: string): DocumentNode | GraphQLError | undefined
  /** The faults of a parsed document; empty for a valid one. */
  validate(document: DocumentNode): readonly GraphQLError[]
}

/** Parses and validates documents within their limits, and caches the results for all lanes. */
export function createDocuments({ introspection = true } = {}): Documents {
  const rules = introspection ? RULES : [NoIntrospection, ...RULES]
  // Two caches: a flood of faulty documents does not evict valid ones.
  const valid = createBoundedCache<string, DocumentNode>(DOCUMENTS_AT_LEAST)
  const others = createBoundedCache<string, DocumentNode | GraphQLError>(DOCUMENTS_AT_LEAST)
  const faultsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>()

  const known = (text: string) => valid.get(text) ?? others.get(text)

  return {
    known,
    parse(text) {
      const before = known(text)
      if (before) return before
      const parsed = parseWithinLimits(text)
      if (text.length <= LONGEST_KEPT) others.set(text, parsed)
      return parsed
    },
    validate(document) {
      const before = faultsOf.get(document)
      if (before) return before
      const faults =
        unknownFields(document) ?? validate(schema, document, rules, { maxErrors: LIMITS.faults })
      faultsOf.set(document, faults)
      const text = document.loc?.source.body
      if (faults.length === 0 && text !== undefined && text.length <= LONGEST_KEPT) valid.set(text, document)
      return faults
    },
  }
}

/**
 * Returns the first faults of a document with many unknown fields; null for other documents. The other rules read such a document
 * to its end, although the first faults decide.
 */
function unknownFields(document: DocumentNode): readonly GraphQLError[] | null {
  const faults = validate(schema, document, [FieldsOnCorrectTypeRule], { maxErrors: LIMITS.faults })
  return faults.length > LIMITS.faults ? faults : null
}

function parseWithinLimits(text: string): DocumentNode | GraphQLError {
  if (hasManyLines(text))
    return new GraphQLError(`The document has more than ${LIMITS.lines} lines. Send long texts as variables.`)
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens })
    return repeatsFault(document) ?? document
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}

/** Reads no further than the limit: 240 KB of line ends kept the process busy for 200 ms while it located five errors. */
function hasManyLines(text: string): boolean {
  const ends = text.matchAll(/\r\n|[\n\r]/g)
  for (let lines = 1; lines <= LIMITS.lines; lines++) if (ends.next().done) return false
  return true
}

/**
 * Returns the fault of a document that would be slow to validate; null for other documents. Validation compares each two fields
 * of one name with all that they select, and each two spreads of fragments: without these limits, a document of 7 KB keeps the
 * process busy for more than 100 ms.
 */
function repeatsFault(document: DocumentNode): GraphQLError | null {
  const counts = new Map<string, number>()
  const leaves = new Map<string, number>()
  let spreads = 0
  visit(document, {
    Field({ name: { value: name }, arguments: given, selectionSet }) {
      const of = selectionSet || given?.length ? counts : leaves
      of.set(name, (of.get(name) ?? 0) + 1)
    },
    FragmentSpread() {
      spreads++
    },
  })
  const limits = [
    [counts, LIMITS.repeats],
    [leaves, LIMITS.leafRepeats],
  ] as const
  for (const [found, limit] of limits)
    for (const [name, count] of found)
      if (count > limit)
        return new GraphQLError(`The document selects ${name} ${count} times; the limit is ${limit} times.`)
  return spreads > LIMITS.spreads
    ? new GraphQLError(`The document spreads ${spreads} fragments; the limit is ${LIMITS.spreads}.`)
    : null
}

function AliasLimit(context: ValidationContext): ASTVisitor {
  let aliases = 0
  return {
    Field({ alias }) {
      if (alias && ++aliases === LIMITS.aliases + 1)
        context.reportError(new GraphQLError(`The document has more than ${LIMITS.aliases} aliases.`))
    },
  }
}

/** Two mutations in one document would share one answer: a failure of the second would hide the result of the first. */
function OneMutation(context: ValidationContext): ASTVisitor {
  return {
    Document({ definitions }) {
      let fields = 0
      for (const definition of definitions)
        if (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation')
          fields += countRootFields(context, definition.selectionSet, new Set())
      if (fields > 1)
        context.reportError(
          new GraphQLError('A document may run one mutation. Send each mutation in a request of its own.'),
        )
      return false
    },
  }
}

function countRootFields(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  seen: Set<string>,
): number {
  let fields = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) fields += selection.name.value.startsWith('__') ? 0 : 1
    else if (selection.kind === Kind.INLINE_FRAGMENT)
      fields += countRootFields(context, selection.selectionSet, seen)
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value)
      const fragment = context.getFragment(selection.name.value)
      if (fragment) fields += countRootFields(context, fragment.selectionSet, seen)
    }
  }
  return fields
}

const RULES = [...specifiedRules, AliasLimit, OneMutation]
