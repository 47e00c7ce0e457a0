import {
  type DocumentNode,
  type FragmentSpreadNode,
  type GraphQLSchema,
  Kind,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/**
 * Returns the module from which Relay's compiler reads the operations: it takes them from tagged texts, one definition each. It
 * demands `@alias` where a fragment may not match.
 */
export function relayModule(schema: GraphQLSchema, document: DocumentNode): string {
  const definitions = withAliases(schema, document).definitions.flatMap((node) => {
    const isNamed = node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION
    return isNamed ? [`export const ${node.name?.value} = graphql\`\n${indented(print(node))}\n\`\n`] : []
  })
  return `// Generated from clients/operations. Copy it into the sources that Relay's compiler reads.
import { graphql } from 'relay-runtime'

${definitions.join('\n')}`
}

function withAliases(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const targets = new Map<string, string>()
  visit(document, {
    FragmentDefinition({ name, typeCondition }) {
      targets.set(name.value, typeCondition.name.value)
    },
  })
  const types = new TypeInfo(schema)
  return visit(
    document,
    visitWithTypeInfo(types, {
      FragmentSpread: (spread) =>
        types.getParentType()?.name === targets.get(spread.name.value) ? undefined : aliased(spread),
    }),
  )
}

function aliased(spread: FragmentSpreadNode): FragmentSpreadNode {
  const alias = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'alias' } } as const
  return { ...spread, directives: [alias] }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
