import {
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { createOperationDescriptor, Environment, Network, RecordSource, Store } from 'relay-runtime'

type Json = Record<string, unknown>

/**
 * Writes an answer into a store of Relay and reads it again. Relay's compiler is a native program, so this function makes what
 * it would compile: of fields, inline fragments and variables, which is all that a test needs.
 */
export function throughRelay(schema: GraphQLSchema, query: string, variables: Json, data: Json): unknown {
  const environment = new Environment({
    network: Network.create(() => Promise.reject(new Error('the store asks no server'))),
    store: new Store(new RecordSource()),
  })
  const operation = createOperationDescriptor(compiled(schema, query) as never, variables)
  environment.commitPayload(operation, data)
  return environment.lookup(operation.fragment).data
}

function compiled(schema: GraphQLSchema, query: string) {
  const document = parse(query)
  const types = new TypeInfo(schema)
  const plural = new Set<FieldNode>()
  const concrete = new Map<FieldNode, string | null>()
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const type = types.getType()
        const named = getNamedType(type)
        if (isListType(getNullableType(type))) plural.add(node)
        if (isCompositeType(named)) concrete.set(node, isAbstractType(named) ? null : named.name)
      },
    }),
  )

  function selectionsOf({ selections }: SelectionSetNode): Json[] {
    return selections.map((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return {
          kind: 'InlineFragment',
          type: selection.typeCondition?.name.value,
          abstractKey: null,
          selections: selectionsOf(selection.selectionSet),
        }
      if (selection.kind !== Kind.FIELD) throw new Error('a named fragment is not supported')
      const { name, alias, arguments: given, selectionSet } = selection
      const common = {
        alias: alias?.value ?? null,
        name: name.value,
        args: given?.length ? given.map((one) => ({ ...argumentOf(one.value), name: one.name.value })) : null,
        storageKey: null,
      }
      if (!selectionSet) return { kind: 'ScalarField', ...common }
      return {
        kind: 'LinkedField',
        ...common,
        concreteType: concrete.get(selection) ?? null,
        plural: plural.has(selection),
        selections: selectionsOf(selectionSet),
      }
    })
  }

  const [operation] = document.definitions as [OperationDefinitionNode]
  const name = operation.name?.value ?? 'Query'
  const argumentDefinitions = (operation.variableDefinitions ?? []).map(({ variable }) => ({
    kind: 'LocalArgument',
    name: variable.name.value,
    defaultValue: null,
  }))
  const selections = selectionsOf(operation.selectionSet)
  return {
    kind: 'Request',
    fragment: {
      kind: 'Fragment',
      name,
      type: 'Query',
      metadata: null,
      abstractKey: null,
      argumentDefinitions,
      selections,
    },
    operation: { kind: 'Operation', name, argumentDefinitions, selections },
    params: { id: name, cacheID: name, metadata: {}, name, operationKind: 'query', text: null },
  }
}

function argumentOf(value: ValueNode): Json {
  return value.kind === Kind.VARIABLE
    ? { kind: 'Variable', variableName: value.name.value }
    : { kind: 'Literal', value: 'value' in value ? value.value : null }
}
