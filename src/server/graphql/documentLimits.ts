import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  type ASTVisitor,
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  TypeInfo,
  type ValidationContext,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { NO_GRAPHQL } from './clientErrors.ts'

/**
 * What one document may ask for. The whole plan of one event, every field of it, costs about 1,500; a page of
 * twenty orders with all that they hold about 3,000.
 */
const LIMITS = {
  tokens: 2_000,
  repeats: 100,
  aliases: 30,
  depth: 15,
  breadth: 300,
  complexity: 5_000,
} as const

/**
 * How many mistakes in its variables a request is told of. Each is told with the whole value, and the value of a request of
 * 256 KB takes some 15 ms to write out: of 20,000 fields that an input does not have one request wrote out every one, for
 * minutes and gigabytes.
 */
export const VARIABLE_FAULTS = 3

/**
 * Bounds every document, over HTTP and on sockets alike: before it is parsed, validated or run, whichever is the
 * first to know.
 */
export function useLimits(): Plugin {
  return {
    onParams({ params: { operationName } }) {
      if (operationName == null || typeof operationName === 'string') return
      const extensions = { code: NO_GRAPHQL, http: { status: 400 } }
      throw new GraphQLError('The operationName must be a text.', { extensions })
    },
    onParse({ setParseFn }) {
      setParseFn((source, options) => {
        const document = parse(source, { ...options, maxTokens: LIMITS.tokens })
        refuseRepeats(document)
        return document
      })
    },
    onValidate({ addValidationRule }) {
      addValidationRule(AliasLimit)
      addValidationRule(OneMutation)
    },
    // In the place of running it, so that it is told and counted as everything else that was run. See execution.ts for the others.
    onSubscribe({ args, setSubscribeFn }) {
      const error = costError(args)
      if (error) setSubscribeFn(() => ({ errors: [error] }))
    },
  }
}

/**
 * Validation compares each two fields of one name, and all that they select: one document of 5 KB took it 70-190 ms, a hundred
 * of a name 8-30. Throws where a field with a selection of its own stands in the document more often than that.
 */
function refuseRepeats(document: DocumentNode): void {
  const counts = new Map<string, number>()
  visit(document, {
    Field({ name: { value: name }, selectionSet }) {
      if (selectionSet) counts.set(name, (counts.get(name) ?? 0) + 1)
    },
  })
  for (const [name, count] of counts)
    if (count > LIMITS.repeats)
      throw new GraphQLError(
        `The document asks for ${name} ${count} times; at most ${LIMITS.repeats} times is served.`,
      )
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

/** Two mutations in one document would share one answer: what became of the first, when the second failed? */
function OneMutation(context: ValidationContext): ASTVisitor {
  return {
    Document({ definitions }) {
      let fields = 0
      for (const definition of definitions)
        if (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation')
          fields += rootFields(context, definition.selectionSet, new Set())
      if (fields > 1)
        context.reportError(
          new GraphQLError('A document may run one mutation: send the others by themselves.'),
        )
      return false
    },
  }
}

function rootFields(context: ValidationContext, { selections }: SelectionSetNode, seen: Set<string>): number {
  let fields = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) fields += selection.name.value.startsWith('__') ? 0 : 1
    else if (selection.kind === Kind.INLINE_FRAGMENT)
      fields += rootFields(context, selection.selectionSet, seen)
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value)
      const fragment = context.getFragment(selection.name.value)
      if (fragment) fields += rootFields(context, fragment.selectionSet, seen)
    }
  }
  return fields
}

/** Of operations whose cost depends on no variable; parsed documents are kept, and used again. */
const knownErrors = new WeakMap<OperationDefinitionNode, GraphQLError | null>()

/** Why an operation is not run; null where it may be. */
export function costError({
  schema,
  document,
  operationName,
  variableValues,
}: ExecutionArgs): GraphQLError | null {
  const operation = getOperationAST(document, operationName)
  if (!operation) return null
  const known = knownErrors.get(operation)
  if (known !== undefined) return known
  // The plugin weighs the first operation that it finds: it is shown the one that will run.
  const alone: DocumentNode = {
    ...document,
    definitions: [operation, ...document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)],
  }
  // Running it says what is wrong with them, in the words that clients know; the plugin would look for every mistake.
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    maxErrors: 1,
  })
  if (!coerced) return null
  try {
    const error = errorOf(complexityFromQuery(alone, { schema, variables: variableValues ?? {} }))
    if (!costsByVariables(schema, alone)) knownErrors.set(operation, error)
    return error
  } catch (error) {
    // Arguments that do not fit: running it says so as well.
    if (error instanceof GraphQLError) return null
    throw error
  }
}

function errorOf(cost: ReturnType<typeof complexityFromQuery>): GraphQLError | null {
  for (const kind of ['depth', 'breadth', 'complexity'] as const)
    if (cost[kind] > LIMITS[kind])
      return new GraphQLError(`The document's ${kind} is ${cost[kind]}; at most ${LIMITS[kind]} is served.`)
  return null
}

/** Whether a variable stands where a list is told how many entries it may have. */
function costsByVariables(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  let found = false
  const visitor: ASTVisitor = {
    Variable() {
      found = typeof types.getFieldDef()?.extensions.complexity === 'function'
      return found ? BREAK : undefined
    },
  }
  visit(document, visitWithTypeInfo(types, visitor))
  return found
}
