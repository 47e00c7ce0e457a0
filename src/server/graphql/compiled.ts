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
/**
 * 200 at most. A compiled query of 300 fields takes up to 420 KB. Clients have a few dozen queries; all others are
 * interpreted.
 */
const COMPILED_AT_LEAST = 100

/** Uses of a query since it was last considered for compilation. */
const uses = new WeakMap<OperationDefinitionNode, number>()
const compiledQueries = createBoundedCache<OperationDefinitionNode, CompiledQuery>(COMPILED_AT_LEAST)

/**
 * Runs an operation as graphql-js does. A plain query that runs often is compiled by graphql-jit, which saves a third of a
 * poll's processor time: bench/poll.ts. graphql-js runs the rest: mutations, whose time the database takes; queries that
 * graphql-jit answers differently, see `isPlain`; and faulty variables, whose errors it words. Where several fields fail, the
 * two may report different errors.
 *
 * package.json pins graphql-jit to an exact version, and compiled.test.ts compares its answers with those of graphql-js.
 * Retire it with this file when a poll takes less than 10 percent longer without it (bench/poll.ts with `interpret` in the
 * place of `executeCompiled`), or when a new version fails that test.
 */
export function executeCompiled(args: ExecutionArgs): MaybePromise<ExecutionResult> {
  const { document, operationName, rootValue, contextValue, variableValues } = args
  const operation = getOperationAST(document, operationName)
  const compiled = operation?.operation === OperationTypeNode.QUERY ? compiledOf(operation, args) : null
  if (!compiled) return interpret(args)
  const result = compiled.query(rootValue, contextValue, variableValues)
  if ('then' in result) return result.then((late) => located(late, document))
  // Without data, it refused the variables and ran nothing.
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
 * True for a document that graphql-jit 0.8.9 answers as graphql-js does. It loses or includes fragments with `@skip` and
 * `@include`; it does not parse a variable's default of a scalar of ours; it makes a null of a variable that is left out of an
 * input object; and it does not know `@oneOf`.
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

/** Adds the source to errors of graphql-jit, which have only lines and columns. */
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
