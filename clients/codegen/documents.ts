import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  stripIgnoredCharacters,
  typeFromAST,
  type VariableDefinitionNode,
  validate,
  visit,
} from 'graphql'

/** One file of clients/operations. */
export interface OperationFile {
  readonly name: string
  readonly text: string
}

/** An operation as clients send it. */
export interface OperationDocument {
  readonly name: string
  readonly type: 'query' | 'mutation' | 'subscription'
  /** Without its fragments. */
  readonly ownText: string
  /** The fragments that it needs, in the order of their first use. */
  readonly fragments: readonly string[]
  /** True if a second request has no second effect. */
  readonly isRepeatable: boolean
}

export interface OperationDocuments {
  readonly operations: readonly OperationDocument[]
  /** The text of each fragment by its name. */
  readonly fragments: ReadonlyMap<string, string>
  readonly document: DocumentNode
}

/**
 * The mutations without an idempotency key that end in the same state when they are sent twice. Every other mutation without a
 * key is never sent again after a lost answer.
 */
const SAME_STATE: ReadonlySet<string> = new Set([
  'JoinQueue',
  'LeaveQueue',
  'ReleaseHold',
  'JoinWaitlist',
  'LeaveWaitlist',
  'ReleaseHolds',
  'RefundEvent',
  'RequestTurnAlerts',
  'EndTurnAlerts',
  'UpdateEvent',
])

/**
 * Reads the operations of all files. Fragments may be in another file than their users.
 *
 * Throws an Error that names each fault against the schema, an operation without a name, and an entry of SAME_STATE that is no
 * operation.
 */
export function readDocuments(files: readonly OperationFile[], schema: GraphQLSchema): OperationDocuments {
  const definitions = files.flatMap(({ text }) => parse(text).definitions)
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions }
  const faults = validate(schema, document).map(({ message }) => message)
  const nodes = new Map<string, FragmentDefinitionNode>()
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) nodes.set(node.name.value, node)
  const operations = definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => ({
      name: node.name?.value ?? '',
      type: node.operation,
      ownText: textOf(node),
      fragments: fragmentsOf(node, nodes),
      isRepeatable: isRepeatable(node, schema),
    }))
  const names = operations.map(({ name }) => name)
  if (names.includes('')) faults.push('an operation must have a name')
  for (const name of SAME_STATE) if (!names.includes(name)) faults.push(`SAME_STATE: no operation ${name}`)
  if (faults.length > 0) throw new Error(`clients/operations: ${faults.join('; ')}`)
  const fragments = new Map([...nodes].map(([name, node]) => [name, textOf(node)]))
  return { operations, fragments, document }
}

/** The text that clients send, byte for byte. */
export function sentText(
  { ownText, fragments }: OperationDocument,
  texts: OperationDocuments['fragments'],
): string {
  return ownText + fragments.map((name) => texts.get(name)).join('')
}

function textOf(node: OperationDefinitionNode | FragmentDefinitionNode): string {
  return stripIgnoredCharacters(print(node))
}

function fragmentsOf(
  from: OperationDefinitionNode | FragmentDefinitionNode,
  nodes: ReadonlyMap<string, FragmentDefinitionNode>,
  found: string[] = [],
): string[] {
  visit(from, {
    FragmentSpread({ name: { value } }) {
      const node = nodes.get(value)
      if (found.includes(value) || !node) return
      found.push(value)
      fragmentsOf(node, nodes, found)
    },
  })
  return found
}

function isRepeatable(
  { operation, name, variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
): boolean {
  if (operation !== 'mutation' || SAME_STATE.has(name?.value ?? '')) return true
  return variableDefinitions.some((variable) => hasKey(variable, schema))
}

function hasKey({ type }: VariableDefinitionNode, schema: GraphQLSchema): boolean {
  const named = getNamedType(typeFromAST(schema, type as never))
  return isInputObjectType(named) && 'idempotencyKey' in named.getFields()
}
