import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { schema } from '../../resolvers/schema.ts'

type Variables = Record<string, unknown>

export interface RootFields {
  /** In the order of the document, out of every fragment. One field may stand there several times. */
  readonly fields: readonly FieldNode[]
  /** A directive stands at the root. */
  readonly hasDirective: boolean
}

/** Returns the root fields of an operation. The document may be invalid: fragments may be missing, or contain each other. */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): RootFields {
  const fragments = fragmentsOf(document)
  const seen = new Set<string>()
  const fields: FieldNode[] = []
  let hasDirective = false
  function collect({ selections }: SelectionSetNode) {
    for (const selection of selections) {
      if (selection.directives?.length) hasDirective = true
      if (selection.kind === Kind.FIELD) fields.push(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet)
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        const fragment = fragments.get(selection.name.value)
        if (fragment) collect(fragment.selectionSet)
      }
    }
  }
  collect(operation.selectionSet)
  return { fields, hasDirective }
}

/**
 * Returns what a valid operation selects below its root fields, in one form: without names of operations, variables and
 * fragments, without fields that a directive leaves out, and in alphabetical order. Operations of one shape have one answer.
 */
export function shapeOf(document: DocumentNode, fields: readonly FieldNode[], variables: Variables): string {
  const fragments = fragmentsOf(document)

  function partsOf({ selections }: SelectionSetNode, type: string, parts: Set<string>) {
    for (const selection of selections) {
      if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true) continue
      if (getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if === false) continue
      if (selection.kind === Kind.FIELD) {
        parts.add(fieldText(selection, type))
        continue
      }
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      if (!inner) continue
      const on = inner.typeCondition?.name.value ?? type
      if (on === type) partsOf(inner.selectionSet, type, parts)
      else parts.add(`...${on}${selectionText([inner.selectionSet], on)}`)
    }
  }

  function selectionText(sets: readonly SelectionSetNode[], type: string): string {
    const parts = new Set<string>()
    for (const set of sets) partsOf(set, type, parts)
    return `{${[...parts].sort().join(' ')}}`
  }

  function fieldText({ name, alias, arguments: given = [], selectionSet }: FieldNode, type: string): string {
    const values = given.map(
      (one) => `${one.name.value}:${JSON.stringify(valueFromASTUntyped(one.value, variables))}`,
    )
    const key = alias && alias.value !== name.value ? `${alias.value}:` : ''
    const below = selectionSet ? selectionText([selectionSet], typeBelow(type, name.value)) : ''
    return `${key}${name.value}(${values.sort().join()})${below}`
  }

  const [field] = fields
  const sets = fields.flatMap(({ selectionSet }) => selectionSet ?? [])
  const root = schema.getSubscriptionType()?.name ?? ''
  const key = field?.alias?.value ?? field?.name.value ?? ''
  return `${key}${selectionText(sets, typeBelow(root, field?.name.value ?? ''))}`
}

function typeBelow(type: string, field: string): string {
  const parent = schema.getType(type)
  const found = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field] : undefined
  return found ? getNamedType(found.type).name : ''
}

const known = new WeakMap<DocumentNode, ReadonlyMap<string, FragmentDefinitionNode>>()

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  let fragments = known.get(document)
  if (!fragments) {
    const found = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    fragments = new Map(found.map((definition) => [definition.name.value, definition]))
    known.set(document, fragments)
  }
  return fragments
}
