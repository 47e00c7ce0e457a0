import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'

/** Clients have few standard queries: GraphiQL, a code generator. An answer takes some 150 KB. */
const KEPT_ANSWERS = 8

/** Refuses introspection: a validation rule for a server that does not allow it. Reports one error, whatever the document asks. */
export function NoIntrospection(context: ValidationContext): ASTVisitor {
  let isReported = false
  return {
    Field(node) {
      if (isReported || !isRoot(node)) return
      isReported = true
      context.reportError(
        new GraphQLError('This server does not serve introspection. Its schema is schema/schema.graphql.', {
          nodes: node,
        }),
      )
    },
  }
}

function isRoot({ name: { value: name } }: FieldNode): boolean {
  return name === '__schema' || name === '__type'
}

/**
 * True where the operation selects nothing but `__schema`, and no more of it than the standard introspection query does. It
 * costs nothing in the complexity limit: `createKeptIntrospection` keeps its answer.
 */
export function isStandardIntrospection(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const known = standards.get(operation)
  if (known !== undefined) return known
  const found = selectsStandard(operation, fragmentsOf(document))
  standards.set(operation, found)
  return found
}

const standards = new WeakMap<OperationDefinitionNode, boolean>()

function selectsStandard(operation: OperationDefinitionNode, fragments: Fragments): boolean {
  if (
    operation.operation !== 'query' ||
    operation.variableDefinitions?.length ||
    operation.directives?.length
  )
    return false
  const seen = new Map<FragmentDefinitionNode, Set<Selected>>()
  let hasSchema = false

  function isWithin({ selections }: SelectionSetNode, standard: Selected): boolean {
    return selections.every((selection) => {
      if (selection.directives?.length) return false
      if (selection.kind === Kind.INLINE_FRAGMENT) return isWithin(selection.selectionSet, standard)
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value)
        if (!fragment || fragment.directives?.length) return false
        const of = seen.get(fragment) ?? new Set()
        seen.set(fragment, of)
        if (of.has(standard)) return true
        of.add(standard)
        return isWithin(fragment.selectionSet, standard)
      }
      const { alias, name, selectionSet } = selection
      if (alias) return false
      if (name.value === '__typename') return true
      hasSchema ||= name.value === '__schema'
      const inner = standard.get(name.value)
      return inner !== undefined && (!selectionSet || isWithin(selectionSet, inner))
    })
  }

  return isWithin(operation.selectionSet, STANDARD) && hasSchema
}

/** The fields of a selection, each with what it selects itself. */
type Selected = Map<string, Selected>
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  return fragments
}

/** The widest query of graphql-js: every other version and setting selects a part of it. */
const STANDARD = standardSelection()

function standardSelection(): Selected {
  const document = parse(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  )
  const fragments = fragmentsOf(document)
  function add({ selections }: SelectionSetNode, to: Selected) {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const inner: Selected = to.get(selection.name.value) ?? new Map()
        to.set(selection.name.value, inner)
        if (selection.selectionSet) add(selection.selectionSet, inner)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet, to)
      else add((fragments.get(selection.name.value) as FragmentDefinitionNode).selectionSet, to)
    }
    return to
  }
  return add((getOperationAST(document) as OperationDefinitionNode).selectionSet, new Map())
}

/**
 * Returns the complexity of all that the operation selects below `__schema` and `__type`: one for each field of the answer. The
 * complexity plugin counts nothing there. A list counts with its mean length in this schema.
 */
export function introspectionCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  document: DocumentNode,
): number {
  const query = schema.getQueryType()
  if (operation.operation !== 'query' || !query) return 0
  const fragments = fragmentsOf(document)
  const lengths = listLengthsOf(schema)
  const costOfFragment = new Map<string, number>()

  function costOf({ selections }: SelectionSetNode, type: GraphQLObjectType): number {
    let cost = 0
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) cost += costOf(selection.selectionSet, type)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const { value: name } = selection.name
        const known = costOfFragment.get(name)
        const fragment = fragments.get(name)
        const found = known ?? (fragment ? costOf(fragment.selectionSet, type) : 0)
        costOfFragment.set(name, found)
        cost += found
      } else cost += costOfField(selection, type)
    }
    return cost
  }

  function costOfField(field: FieldNode, type: GraphQLObjectType): number {
    const { value: name } = field.name
    if (type === query && !isRoot(field)) return 0
    const inner = type === query ? ROOT_TYPES[name] : undefined
    const below = inner ? schema.getType(inner) : getNamedType(type.getFields()[name]?.type)
    const entries = lengths.get(`${type.name}.${name}`) ?? 1
    return entries * (1 + (field.selectionSet && isObjectType(below) ? costOf(field.selectionSet, below) : 0))
  }

  return costOf(operation.selectionSet, query)
}

const ROOT_TYPES: Readonly<Record<string, string>> = { __schema: '__Schema', __type: '__Type' }

const listLengths = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>()

/** The mean lengths, rounded up, of the lists of introspection. */
function listLengthsOf(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const known = listLengths.get(schema)
  if (known) return known
  const types = Object.values(schema.getTypeMap())
  const composites = types.filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = composites.flatMap((type) => Object.values(type.getFields()))
  const abstracts = types.filter((type) => isInterfaceType(type) || isUnionType(type))
  const directives = schema.getDirectives()
  const mean = (counts: readonly number[]) =>
    Math.ceil(counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length))
  const lengths = new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    ['__Directive.args', mean(directives.map(({ args }) => args.length))],
    ['__Directive.locations', mean(directives.map(({ locations }) => locations.length))],
    ['__Type.fields', mean(composites.map((type) => Object.keys(type.getFields()).length))],
    ['__Type.interfaces', mean(composites.map((type) => type.getInterfaces().length))],
    ['__Type.possibleTypes', mean(abstracts.map((type) => schema.getPossibleTypes(type).length))],
    ['__Type.enumValues', mean(types.filter(isEnumType).map((type) => type.getValues().length))],
    [
      '__Type.inputFields',
      mean(types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length)),
    ],
    ['__Field.args', mean(fields.map(({ args }) => args.length))],
  ])
  listLengths.set(schema, lengths)
  return lengths
}

/** Returns a function that runs an operation, or returns the kept answer of a standard introspection query. */
export function createKeptIntrospection() {
  // The document's cache gives one operation for one text.
  const kept = createBoundedCache<OperationDefinitionNode, ExecutionResult>(KEPT_ANSWERS / 2)
  return (
    { document, operationName }: ExecutionArgs,
    run: () => MaybePromise<ExecutionResult>,
  ): MaybePromise<ExecutionResult> => {
    const operation = getOperationAST(document, operationName)
    if (!operation || !isStandardIntrospection(operation, document)) return run()
    const known = kept.get(operation)
    if (known) return known
    return andThen(run(), (answer) => {
      if (!answer.errors) kept.set(operation, answer)
      return answer
    })
  }
}
