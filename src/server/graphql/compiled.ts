import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isLeafType,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  type Source,
  typeFromAST,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { createBoundedCache } from '../../async/boundedCache.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { VARIABLE_FAULTS } from './cost.ts'

/** Uses before a query is compiled, which takes milliseconds: a query of so many uses will be used ten thousand times. */
const AFTER_USES = 100
/** A compiled query of 300 fields takes up to 420 KB. Clients have a few dozen queries; all others are interpreted. */
const MOST_COMPILED = 200

/** Uses of a query since it was last considered for compilation. */
const uses = new WeakMap<OperationDefinitionNode, number>()
const compiledQueries = createBoundedCache<OperationDefinitionNode, CompiledQuery>(MOST_COMPILED / 2)

/**
 * Runs an operation as graphql-js does; a plain query that is run again and again is compiled (graphql-jit), since most of what
 * graphql-js does for a poll is to find out once more what its document asks for: a poll takes a third less of the server's
 * time (51 µs where it took 78, npm run bench -- poll).
 *
 * graphql-js goes on to run what changes something, where it is the database that takes the time, and what graphql-jit answers
 * otherwise, see `isPlain`; and it says what is wrong with variables. Which of several errors is told may differ.
 */
export function executeCompiled(args: ExecutionArgs): MaybePromise<ExecutionResult> {
  const { document, operationName, rootValue, contextValue, variableValues } = args
  const operation = getOperationAST(document, operationName)
  const compiled = operation?.operation === OperationTypeNode.QUERY ? compiledOf(operation, args) : null
  if (!compiled) return interpret(args)
  const result = compiled.query(rootValue, contextValue, variableValues)
  if ('then' in result) return result.then((late) => located(late, document))
  // Without data its variables were refused, and nothing was run.
  return result.data === undefined ? interpret(args) : located(result, document)
}

function interpret(args: ExecutionArgs): MaybePromise<ExecutionResult> {
  return execute({
    ...args,
    options: { maxCoercionErrors: VARIABLE_FAULTS },
  }) as MaybePromise<ExecutionResult>
}

function compiledOf(operation: OperationDefinitionNode, { schema, document }: ExecutionArgs) {
  const known = compiledQueries.get(operation)
  if (known) return known
  const before = uses.get(operation) ?? 0
  uses.set(operation, before < AFTER_USES ? before + 1 : 0)
  if (before < AFTER_USES || !isPlain(document, schema)) return null
  const compiled = compileQuery(schema, document, operation.name?.value)
  if (!isCompiledQuery(compiled)) return null
  compiledQueries.set(operation, compiled)
  return compiled
}

/**
 * What graphql-jit 0.8.9 answers as graphql-js does. Not: fragments that are skipped or included, which it loses or takes in; a
 * variable's own default of a scalar of ours, which it does not parse; a variable left out of an input object, which it makes a
 * null; and `@oneOf`, which it does not know.
 */
function isPlain(document: DocumentNode, schema: GraphQLSchema): boolean {
  let plain = true
  const leave = () => {
    plain = false
    return BREAK
  }
  visit(document, {
    Directive: leave,
    VariableDefinition({ type, defaultValue }) {
      const named = getNamedType(typeFromAST(schema, type as NamedTypeNode))
      if (defaultValue || !isLeafType(named)) return leave()
      return false
    },
    ObjectValue: leave,
    ListValue: leave,
  })
  return plain
}

/** graphql-jit's errors know lines and columns alone; graphql-js's, that are expected everywhere, know the source. */
function located(result: ExecutionResult, { loc }: DocumentNode): ExecutionResult {
  if (!result.errors) return result
  const errors = result.errors.map(
    ({ message, path, originalError, locations }) =>
      new GraphQLError(message, {
        source: loc?.source,
        positions: loc && locations?.map((at) => positionOf(loc.source, at)),
        path,
        originalError,
      }),
  )
  return { ...result, errors }
}

function positionOf({ body }: Source, { line, column }: { line: number; column: number }): number {
  const before = body.split(/\r\n|[\n\r]/, line - 1)
  let start = 0
  for (const text of before) start += text.length + (body.startsWith('\r\n', start + text.length) ? 2 : 1)
  return start + column - 1
}
