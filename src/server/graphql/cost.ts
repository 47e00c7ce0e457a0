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
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { introspectionCost, isStandardIntrospection } from './introspection.ts'

/**
 * Bounds of one operation. The whole plan of one event with every field costs about 1,500; a page of twenty orders with
 * everything in them costs about 3,000. A part of the schema by introspection costs one for each field of its answer.
 */
const LIMITS = { depth: 15, breadth: 300, complexity: 5_000 } as const

/**
 * The number of faulty variables that one response names. Each fault repeats its whole value: without this limit, one
 * request of 256 KB with 20,000 unknown fields writes gigabytes and takes minutes.
 */
export const VARIABLE_FAULTS = 3

/** Of operations whose cost depends on no variable. Parsed documents are cached and run again. */
const knownErrors = new WeakMap<OperationDefinitionNode, GraphQLError | null>()

/** The reason why an operation is too expensive to run; null for one within the limits. */
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
  if (isStandardIntrospection(operation, document)) return null
  // The plugin measures the first operation of a document, so it gets only the operation that will run.
  const alone: DocumentNode = {
    ...document,
    definitions: [operation, ...document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)],
  }
  // Execution reports faulty variables, in words that clients know. The plugin would search for every fault.
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    maxErrors: 1,
  })
  if (!coerced) return null
  try {
    const cost = complexityFromQuery(alone, { schema, variables: variableValues ?? {} })
    const complexity = cost.complexity + introspectionCost(schema, operation, alone)
    const error = errorOf({ ...cost, complexity })
    if (!costsByVariables(schema, alone)) knownErrors.set(operation, error)
    return error
  } catch (error) {
    // Faulty arguments: execution reports them as well.
    if (error instanceof GraphQLError) return null
    throw error
  }
}

function errorOf(cost: ReturnType<typeof complexityFromQuery>): GraphQLError | null {
  for (const kind of ['depth', 'breadth', 'complexity'] as const)
    if (cost[kind] > LIMITS[kind])
      return new GraphQLError(`The document's ${kind} is ${cost[kind]}; the limit is ${LIMITS[kind]}.`)
  return null
}

/** True where a variable sets how many entries a list returns. */
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
