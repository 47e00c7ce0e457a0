import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
  type Source,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'

/** Compiling one takes 5 to 15 ms: what has been asked so often will be asked ten thousand times. */
const AFTER_USES = 100

/** How often a query was run, then what it was compiled to; null where it cannot be. */
const queries = new WeakMap<OperationDefinitionNode, number | CompiledQuery | null>()

/**
 * Runs an operation as graphql-js does; a query that is run again and again is compiled (graphql-jit), since most of what
 * graphql-js does for a poll is to find out once more what its document asks for: a poll takes a quarter less of the
 * server's time (51 µs where it took 78, npm run bench -- poll).
 *
 * graphql-js goes on to judge variables, since graphql-jit knows less of the language (`@oneOf`), and runs what changes
 * something: there it is the database that takes the time.
 */
export function executeCompiled(args: ExecutionArgs): ReturnType<typeof execute> {
  const { schema, document, operationName, rootValue, contextValue, variableValues, options } = args
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== OperationTypeNode.QUERY) return execute(args)
  const compiled = compiledOf(operation, args)
  if (!compiled) return execute(args)
  const { variableDefinitions } = operation
  if (variableDefinitions?.length) {
    const { errors } = getVariableValues(schema, variableDefinitions, variableValues ?? {}, {
      maxErrors: options?.maxCoercionErrors,
    })
    if (errors) return execute(args)
  }
  const result = compiled.query(rootValue, contextValue, variableValues)
  return 'then' in result ? result.then((late) => located(late, document)) : located(result, document)
}

function compiledOf(operation: OperationDefinitionNode, { schema, document }: ExecutionArgs) {
  const known = queries.get(operation) ?? 0
  if (typeof known !== 'number') return known
  if (known < AFTER_USES) {
    queries.set(operation, known + 1)
    return null
  }
  const compiled = compileQuery(schema, document, operation.name?.value)
  const found = isCompiledQuery(compiled) ? compiled : null
  queries.set(operation, found)
  return found
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
