import { type GraphQLSchema, isAbstractType, isIntrospectionType, isObjectType } from 'graphql'

/** Returns the module of what normalized caches need of the schema. */
export function cachesModule(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))
  const possibleTypes = types
    .filter(isAbstractType)
    .map(({ name }) => [name, schema.getPossibleTypes(schema.getType(name) as never).map(String)] as const)
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const embedded = types
    .filter((type) => isObjectType(type) && !roots.includes(type) && !type.getFields().id)
    .map(({ name }) => name)
  return `// Generated from schema/schema.graphql by npm run schema. Do not edit.

/** The types of each interface and union: \`possibleTypes\` of Apollo Client's cache. */
export const possibleTypes: Record<string, string[]> = {
${possibleTypes.map(([name, of]) => `  ${name}: [${of.map((one) => `'${one}'`).join(', ')}],`).join('\n')}
}

/** The types without an id, which are parts of the node above them: \`keys\` of urql's Graphcache. */
export const keys: Record<string, () => null> = {
${embedded.map((name) => `  ${name}: () => null,`).join('\n')}
}
`
}
